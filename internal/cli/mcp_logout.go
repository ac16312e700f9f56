package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/files"
)

func mcpLogoutCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use: "logout NAME", Short: "Delete the tokens of a login",
		Long:    "Delete the tokens that patchbay mcp login keeps of a server. They are not revoked: the server may accept them until they expire.",
		Example: "  patchbay mcp logout example",
		RunE: f.withApp(func(cmd *cobra.Command, p *app.App, args []string) error {
			s, err := configured(p.Config(), args[0])
			if err != nil {
				return err
			}
			err = fs.ErrNotExist
			if s.Auth.TokenFile != "" {
				var release func()
				if release, err = files.Lock(s.Auth.TokenFile); err == nil { // else a process that renews it would write it again
					err = os.Remove(s.Auth.TokenFile)
					release()
				}
			}
			there := !errors.Is(err, fs.ErrNotExist)
			if err != nil && there {
				return &diag.Fault{Code: "logout-failed", Message: fmt.Sprintf("the tokens of server %q cannot be deleted: %v", s.Name, err)}
			}
			return f.print(cmd, result{value: map[string]any{"server": s.Name, "deleted": there}, text: func(w *page) {
				if there {
					fmt.Fprintf(w, "logged out of %s; its tokens are deleted here, not revoked\n", s.Name)
				} else {
					fmt.Fprintf(w, "no login for %s\n", s.Name)
				}
			}})
		}),
	}
}
