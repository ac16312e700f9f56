package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

var codeLogoutFailed = diag.DefineFault("logout-failed", diag.RefusesRequest, "the file with the tokens of a login cannot be deleted", "delete it in `$XDG_STATE_HOME/patchbay/tokens`")

// MCPLogoutCommand is patchbay mcp logout.
func MCPLogoutCommand(f *command.Flags) *cobra.Command {
	return &cobra.Command{
		Use: "logout NAME", Short: "Delete the tokens of a login",
		Long:    "Delete the tokens that patchbay mcp login keeps of a server. They are not revoked: the server may accept them until they expire.",
		Example: "  patchbay mcp logout example",
		RunE: f.WithApp(func(cmd *cobra.Command, p *app.App, args []string) error {
			s, fault := p.Configured(args[0])
			if fault != nil {
				return fault
			}
			err := fs.ErrNotExist
			if s.Auth.TokenFile != "" {
				var release func()
				if release, err = files.Lock(s.Auth.TokenFile); err == nil { // else a process that renews it would write it again
					err = os.Remove(s.Auth.TokenFile)
					release()
				}
			}
			there := !errors.Is(err, fs.ErrNotExist)
			if err != nil && there {
				return &diag.Fault{Code: codeLogoutFailed, Message: fmt.Sprintf("the tokens of server %q cannot be deleted: %v", s.Name, err)}
			}
			return f.Print(cmd, command.Result{Value: map[string]any{"server": s.Name, "deleted": there}, Text: func(w *term.Page) {
				if there {
					fmt.Fprintf(w, "logged out of %s; its tokens are deleted here, not revoked\n", s.Name)
				} else {
					fmt.Fprintf(w, "no login for %s\n", s.Name)
				}
			}})
		}),
	}
}

// MCPLoginCommand is patchbay mcp login.
func MCPLoginCommand(f *command.Flags) *cobra.Command {
	var timeout time.Duration
	c := &cobra.Command{
		Use: "login NAME", Short: "Log in to a remote server that asks for OAuth",
		Long:    "Log in to a remote server that asks for OAuth: the command prints an address to open in a browser, and waits until you have agreed there. The token is kept in a file that only you can read, and renewed when it expires.",
		Example: "  patchbay mcp login example",
		RunE: f.WithApp(func(cmd *cobra.Command, p *app.App, args []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			s, fault := p.LogIn(ctx, args[0], func(address string) {
				fmt.Fprintf(cmd.ErrOrStderr(), "open this address in a browser on this machine:\n%s\n", address)
			})
			if fault != nil {
				return fault
			}
			return f.Print(cmd, command.Result{Value: map[string]string{"server": s.Name, "token": s.Auth.TokenFile}, Text: func(w *term.Page) {
				fmt.Fprintf(w, "logged in to %s; the token is kept in %s\n", s.Name, s.Auth.TokenFile)
			}})
		}),
	}
	c.Flags().DurationVar(&timeout, "timeout", plans.LoginTimeout, "how long to wait for the browser")
	return c
}
