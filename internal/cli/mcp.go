package cli

import (
	"github.com/spf13/cobra"
)

// addServerCommands completes the group mcp by the commands about what the operator
// configures. They are not operations: an agent must not define or approve servers.
func addServerCommands(f *flags, root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() == "mcp" {
			c.AddCommand(mcpAddCommand(f), mcpRemoveCommand(f), mcpFindCommand(f), mcpLogsCommand(f), mcpLoginCommand(f), mcpLogoutCommand(f))
			c.AddCommand(mcpToolsCommand(f))
		}
	}
}
