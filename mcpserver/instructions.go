package mcpserver

import (
	"cmp"
	"fmt"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/idioms"
)

// ownName is the name of the program, and of the server, unless [Options] say another.
const ownName = "patchbay"

// instructions is what a client reads when a session begins. Replies name commands of
// patchbay: a program of another name with the same commands says so here.
func instructions(pb *app.App, o *Options) string {
	text := o.Instructions
	if text == "" && !o.ToolsOnly {
		text = idioms.Instructions()
		if cfg := pb.Config(); cfg != nil && len(pb.Status()) == 0 {
			text += fmt.Sprintf("\nNo MCP server is configured, so no node calls a tool yet. A person adds one with: patchbay mcp add --config %s NAME -- COMMAND, and restarts this server.", cmp.Or(cfg.File, "~/.config/patchbay/patchbay.yaml"))
		}
	}
	if o.Program == "" || o.Program == ownName {
		return text
	}
	if text != "" {
		text += "\n"
	}
	return text + fmt.Sprintf("The program of this server is %s: a person types that where a reply has a command of %s.", o.Program, ownName)
}
