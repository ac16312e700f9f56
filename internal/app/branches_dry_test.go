package app_test

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/run"
)

// The branches of a dry run look at tools at the same time.
func TestBranchesOfADryRun(t *testing.T) {
	pb := product(t)
	r, fault := pb.Run(t.Context(), execution.RunInput{Mode: run.DryRun, GraphInput: plans.FromText("g", `
nodes:
  - {id: entry, type: entry, next: both}
  - {id: both, type: parallel, branches: [a, b, c], join: exit}
  - {id: a, type: mcp, server: workspace, tool: list_directory, args: {path: .}, next: exit}
  - {id: b, type: mcp, server: workspace, tool: list_directory, args: {path: .}, next: exit}
  - {id: c, type: mcp, server: workspace, tool: list_directory, args: {path: .}, next: exit}
  - {id: exit, type: exit}
`, "")})
	if fault != nil || r.Status != "succeeded" {
		t.Fatal(fault, r)
	}
}
