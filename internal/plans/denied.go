package plans

import (
	"context"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// DenialByName is the denial of the tool that the name of a node means exactly, or nil.
func (pl *Plans) DenialByName(ref NodeRef) *diag.Fault {
	server, tool, ok := strings.Cut(strings.TrimPrefix(ref.String(), "mcp:"), "/")
	if !ok {
		return nil
	}
	return pl.policy.Denial(server, tool)
}

// A ToolState is a tool of a server, and whether it can be used.
type ToolState struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	DeniedBy    string `json:"denied_by,omitempty"` // the setting; empty if it can be used
}

// ToolStates returns the tools of a server, those included that are denied. A server whose
// tools are not cached is started.
func (pl *Plans) ToolStates(ctx context.Context, server string) ([]ToolState, *diag.Fault) {
	if pl.servers.Hub == nil {
		return nil, downstream.UnknownServer(server, nil)
	}
	pl.LoadCached()
	tools := pl.servers.Hub.Tools(server)
	if tools == nil {
		pl.Start(ctx, server)
		if fault := pl.servers.Hub.Ready(ctx, server); fault != nil {
			return nil, fault
		}
		tools = pl.servers.Hub.Tools(server)
	}
	states := []ToolState{}
	for _, t := range tools {
		states = append(states, ToolState{t.Name, t.Description, pl.policy.DeniedBy(server, t.Name)})
	}
	return states, nil
}
