package library

import (
	"context"
	"fmt"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers"
)

// ApproveInput says which changes a person accepts.
type ApproveInput struct {
	Server string   `json:"server" jsonschema:"the name of a server" arg:"NAME"`
	Tools  []string `json:"tools,omitempty" jsonschema:"its tools whose changes are accepted; none means all" arg:"[TOOL…]"`
	Try    bool     `json:"try,omitempty" jsonschema:"accept nothing: replay recorded runs of the graphs concerned with the server as it is now, calling only what is known to be read-only" help:"accept nothing; show what recorded runs of the graphs concerned come to with the change"`
}

// ApproveResult lists the tools whose changes were accepted.
type ApproveResult struct {
	Server   string   `json:"server"`
	Approved []string `json:"approved"`

	Changes map[string]*servers.ToolChange `json:"changes,omitempty"` // of a try: what the changes mean
	Tried   []TriedGraph                   `json:"tried,omitempty"`   // of a try
}

var (
	codeNotApproved      = diag.DefineFault("not-approved", diag.RefusesRequest, "the approval cannot be stored", "check the disk")
	codeNothingToApprove = diag.DefineFault("nothing-to-approve", diag.RefusesRequest, "the tool has no change that waits", "`patchbay mcp info NAME`")
)

// Approve accepts changes of tools that wait for a person.
func (lib *Library) Approve(ctx context.Context, in ApproveInput) (*ApproveResult, *diag.Fault) {
	s, fault := lib.plans.ServerStatus(in.Server)
	if fault != nil {
		return nil, fault
	}
	in.Server = s.Name
	if in.Try { // with the definitions that the server has now
		if _, fault := lib.plans.Sync(ctx, plans.SyncInput{Servers: []string{in.Server}}); fault != nil {
			return nil, fault
		}
	}
	waiting := map[string]bool{}
	for _, name := range lib.servers.Hub.Waiting(in.Server) {
		waiting[name] = true
	}
	for _, name := range in.Tools {
		if !waiting[name] {
			return nil, diag.Faultf(codeNothingToApprove, "tool %q of server %q has no change that waits", name, in.Server).
				WithHint(fmt.Sprintf("patchbay mcp info %s shows the tools", in.Server))
		}
	}
	if in.Try {
		return lib.try(ctx, in)
	}
	approved, err := lib.servers.Hub.Approve(in.Server, in.Tools...)
	if err != nil {
		return nil, diag.Faultf(codeNotApproved, "the approval cannot be stored: %w", err)
	}
	return &ApproveResult{Server: in.Server, Approved: approved}, nil
}

// try shows what changes that wait mean.
func (lib *Library) try(ctx context.Context, in ApproveInput) (r *ApproveResult, fault *diag.Fault) {
	r = &ApproveResult{Server: in.Server, Approved: []string{}, Changes: map[string]*servers.ToolChange{}}
	tools := in.Tools
	if len(tools) == 0 {
		tools = lib.servers.Hub.Waiting(in.Server)
	}
	for _, name := range tools {
		r.Changes[name] = lib.plans.Tools.Waiting(in.Server, name)
	}
	r.Tried, fault = lib.tryChanges(ctx, in.Server, tools)
	return r, fault
}

// Failed reports whether a try has found a graph that the change breaks, or whose runs differ.
func (r *ApproveResult) Failed() bool {
	return slices.ContainsFunc(r.Tried, func(t TriedGraph) bool { return t.Error != nil || t.Same < t.Runs })
}
