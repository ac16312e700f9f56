package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

// greet says at a terminal, where a person has started what clients start, what is served.
func (f *flags) greet(cmd *cobra.Command, p *app.App) {
	if !stdinOf(cmd).terminal || f.quiet {
		return
	}
	log := cmd.ErrOrStderr()
	fmt.Fprintf(log, "patchbay: serving MCP on standard input and output, for a client that starts this command: patchbay init --client NAME\n")
	fmt.Fprintf(log, "  %s, %s; end with Ctrl-C or Ctrl-D; --http 127.0.0.1:8080 serves HTTP\n", counted(len(p.Status()), "server"), counted(len(p.Published()), "tool")+" of graphs")
}
