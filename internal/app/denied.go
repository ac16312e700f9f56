package app

import (
	"context"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

var codeToolDenied = diag.DefineFault("tool-denied", diag.FailsNode, "the operator's configuration denies the tool, or a [workflow](workflows.md#toolslist) has refused the list of tools", "use another tool, or [allow it](gateway.md#which-tools), or correct the workflow")

// denial is the fault of a tool that the operator denies, nil for any other. Nobody can
// use one: it is not in the catalog, and no call of it leaves.
func (a *App) denial(server, tool string) *diag.Fault {
	by := a.deniedBy(server, tool)
	if by == "" {
		return nil
	}
	return diag.Faultf(codeToolDenied, "the tool %q of server %q is denied", tool, server).WithHint("the operator denies it by " + by + " in the configuration")
}

// denialByName is the denial of the tool that the name of a node means exactly, or nil.
func (a *App) denialByName(ref NodeRef) *diag.Fault {
	server, tool, ok := strings.Cut(strings.TrimPrefix(ref.String(), "mcp:"), "/")
	if !ok {
		return nil
	}
	return a.denial(server, tool)
}

// allowedTools returns the tools of a server that the operator does not deny.
func (a *App) allowedTools(server string, tools []*downstream.Tool) []*downstream.Tool {
	if a.policy.denied.Load() == nil {
		return tools
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t *downstream.Tool) bool { return a.deniedBy(server, t.Name) != "" })
}

// deniedBy says whose setting denies a tool, "" if none does.
func (a *App) deniedBy(server, tool string) string {
	if denied := a.policy.denied.Load(); denied != nil {
		return (*denied)(server, tool)
	}
	return ""
}

// deny makes denied what says which tools are denied, and the catalog what remains.
func (a *App) deny(denied func(server, tool string) string) {
	if denied == nil {
		a.policy.denied.Store(nil)
	} else {
		a.policy.denied.Store(&denied)
	}
	for _, o := range a.servers.hub.Offers() {
		a.discovery.catalog.Replace("server:"+o.Server, downstream.Specs(a.allowedTools(o.Server, o.Tools)))
	}
	a.announceOffer()
}

// A ToolState is a tool of a server, and whether it can be used.
type ToolState struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	DeniedBy    string `json:"denied_by,omitempty"` // the setting; empty if it can be used
}

// ToolStates returns the tools of a server, those included that are denied. A server whose
// tools are not cached is started.
func (a *App) ToolStates(ctx context.Context, server string) ([]ToolState, *diag.Fault) {
	if a.servers.hub == nil {
		return nil, downstream.UnknownServer(server, nil)
	}
	a.LoadCached()
	tools := a.servers.hub.Tools(server)
	if tools == nil {
		a.Start(ctx, server)
		if fault := a.servers.hub.Ready(ctx, server); fault != nil {
			return nil, fault
		}
		tools = a.servers.hub.Tools(server)
	}
	states := []ToolState{}
	for _, t := range tools {
		states = append(states, ToolState{t.Name, t.Description, a.deniedBy(server, t.Name)})
	}
	return states, nil
}
