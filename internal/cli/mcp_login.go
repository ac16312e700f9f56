package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/downstream"
)

func mcpLoginCommand(f *flags) *cobra.Command {
	var timeout time.Duration
	c := &cobra.Command{
		Use: "login NAME", Short: "Log in to a remote server that asks for OAuth",
		Long:    "Log in to a remote server that asks for OAuth: the command prints an address to open in a browser, and waits until you have agreed there. The token is kept in a file that only you can read, and renewed when it expires.",
		Example: "  patchbay mcp login example",
		RunE: f.withApp(func(cmd *cobra.Command, p *app.App, args []string) error {
			s, err := configured(p.Config(), args[0])
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			server := downstream.Server{Name: s.Name, URL: s.URL, Auth: downstream.Auth(s.Auth)}
			err = downstream.Login(ctx, &server, func(address string) {
				fmt.Fprintf(cmd.ErrOrStderr(), "open this address in a browser on this machine:\n%s\n", address)
			})
			if err != nil {
				return &diag.Fault{Code: "login-failed", Message: fmt.Sprintf("the login to server %q failed: %v", s.Name, err)}
			}
			return f.print(cmd, result{value: map[string]string{"server": s.Name, "token": s.Auth.TokenFile}, text: func(w *page) {
				fmt.Fprintf(w, "logged in to %s; the token is kept in %s\n", s.Name, s.Auth.TokenFile)
			}})
		}),
	}
	c.Flags().DurationVar(&timeout, "timeout", 5*time.Minute, "how long to wait for the browser")
	return c
}

// configured returns the server of a name, or says which there are.
func configured(cfg *config.Config, name string) (config.Server, error) {
	if s, ok := cfg.Server(name); ok {
		return s, nil
	}
	names := each(cfg.Servers, func(s config.Server) string { return s.Name })
	return config.Server{}, downstream.UnknownServer(name, names)
}
