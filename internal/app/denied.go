package app

import (
	"context"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/downstream"
)

// denial is the fault of a tool that the operator denies, nil for any other. Nobody can
// use one: it is not in the catalog, and no call of it leaves.
func (pb *App) denial(server, tool string) *diag.Fault {
	by := pb.deniedBy(server, tool)
	if by == "" {
		return nil
	}
	return diag.Faultf("tool-denied", "the tool %q of server %q is denied", tool, server).WithHint("the operator denies it by " + by + " in the configuration")
}

// denialOf is the denial of the tool that the name of a node means exactly, or nil.
func (pb *App) denialOf(ref NodeRef) *diag.Fault {
	server, tool, ok := strings.Cut(strings.TrimPrefix(ref.String(), "mcp:"), "/")
	if !ok {
		return nil
	}
	return pb.denial(server, tool)
}

// allowedOf returns the tools of a server that the operator does not deny.
func (pb *App) allowedOf(server string, tools []*downstream.Tool) []*downstream.Tool {
	if pb.denied.Load() == nil {
		return tools
	}
	return slices.DeleteFunc(slices.Clone(tools), func(t *downstream.Tool) bool { return pb.deniedBy(server, t.Name) != "" })
}

// deniedBy says whose setting denies a tool, "" if none does.
func (pb *App) deniedBy(server, tool string) string {
	if denied := pb.denied.Load(); denied != nil {
		return (*denied)(server, tool)
	}
	return ""
}

// deny makes denied what says which tools are denied, and the catalog what remains.
func (pb *App) deny(denied func(server, tool string) string) {
	if denied == nil {
		pb.denied.Store(nil)
	} else {
		pb.denied.Store(&denied)
	}
	for _, o := range pb.hub.Offers() {
		pb.catalog.Replace("server:"+o.Server, downstream.Specs(pb.allowedOf(o.Server, o.Tools)))
	}
	pb.announceOffer()
}

// A ToolState is a tool of a server, and whether it can be used.
type ToolState struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	DeniedBy    string `json:"denied_by,omitempty"` // the setting; empty if it can be used
}

// ToolStates returns the tools of a server, those included that are denied. A server whose
// tools are not cached is started.
func (pb *App) ToolStates(ctx context.Context, server string) ([]ToolState, *diag.Fault) {
	if pb.hub == nil {
		return nil, downstream.UnknownServer(server, nil)
	}
	pb.LoadCached()
	tools := pb.hub.Tools(server)
	if tools == nil {
		pb.Start(ctx, server)
		if fault := pb.hub.Ready(ctx, server); fault != nil {
			return nil, fault
		}
		tools = pb.hub.Tools(server)
	}
	states := []ToolState{}
	for _, t := range tools {
		states = append(states, ToolState{t.Name, t.Description, pb.deniedBy(server, t.Name)})
	}
	return states, nil
}
