package plans

import (
	"context"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// Denial is the denial of the tool that the name of a node means exactly, or nil.
func (ts *toolSet) Denial(ref NodeRef) *diag.Fault {
	server, tool, ok := strings.Cut(strings.TrimPrefix(ref.String(), "mcp:"), "/")
	if !ok {
		return nil
	}
	return ts.plans.policy.Denial(server, tool)
}

// A ToolState is a tool of a server, and whether it can be used.
type ToolState struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	DeniedBy    string `json:"denied_by,omitempty"` // the setting; empty if it can be used
}

// ToolStates returns the tools of a server, those included that are denied. A server whose
// tools are not cached is started.
func (ds *Downstream) ToolStates(ctx context.Context, server string) ([]ToolState, *diag.Fault) {
	if ds.plans.servers.Hub == nil {
		return nil, downstream.UnknownServer(server, nil)
	}
	ds.LoadCached()
	tools := ds.plans.servers.Hub.Tools(server)
	if tools == nil {
		ds.Start(ctx, server)
		if fault := ds.plans.servers.Hub.Ready(ctx, server); fault != nil {
			return nil, fault
		}
		tools = ds.plans.servers.Hub.Tools(server)
	}
	states := []ToolState{}
	for _, t := range tools {
		states = append(states, ToolState{t.Name, t.Description, ds.plans.policy.DeniedBy(server, t.Name)})
	}
	return states, nil
}
