package app

import (
	"context"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
)

// ApproveInput says which changes a person accepts.
type ApproveInput struct {
	Server string   `json:"server" jsonschema:"the name of a server" arg:"NAME"`
	Tools  []string `json:"tools,omitempty" jsonschema:"its tools whose changes are accepted; none means all" arg:"[TOOL…]"`
}

// ApproveResult lists the tools whose changes were accepted.
type ApproveResult struct {
	Server   string   `json:"server"`
	Approved []string `json:"approved"`
}

// Approve accepts changes of tools that wait for a person.
func (pb *App) Approve(_ context.Context, in ApproveInput) (*ApproveResult, *diag.Fault) {
	if _, fault := pb.statusOf(in.Server); fault != nil {
		return nil, fault
	}
	waiting := map[string]bool{}
	for _, name := range pb.hub.Waiting(in.Server) {
		waiting[name] = true
	}
	for _, name := range in.Tools {
		if !waiting[name] {
			return nil, diag.Faultf("nothing-to-approve", "tool %q of server %q has no change that waits", name, in.Server).
				WithHint(fmt.Sprintf("patchbay mcp info %s shows the tools", in.Server))
		}
	}
	approved, err := pb.hub.Approve(in.Server, in.Tools...)
	if err != nil {
		return nil, diag.Faultf("not-approved", "the approval cannot be stored: %w", err)
	}
	return &ApproveResult{Server: in.Server, Approved: approved}, nil
}
