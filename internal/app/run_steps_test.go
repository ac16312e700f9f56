package app_test

import (
	"encoding/json"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/run"
)

// Every step of a long run can be listed, a page at a time, and the position in the list is
// the index by which one is read.
func TestPagesOfSteps(t *testing.T) {
	pb := product(t)
	src := `
executionLimits: {maxNodeExecutions: 5000}
name: many
nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: mcp, server: workspace, tool: list_directory, args: {path: .}, foreach: {items: {expr: "[1..1100]"}}, next: exit}
  - {id: exit, type: exit}
`
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(src)}, Arguments: json.RawMessage(`{}`)})
	r = ran(t, r, fault, run.Succeeded)
	var steps []reply.TraceStep
	for {
		from := len(steps)
		got, fault := pb.GetRun(t.Context(), execution.GetRunInput{RunID: r.RunID, From: &from})
		if fault != nil {
			t.Fatal(fault)
		}
		if got.Trace != nil || got.StepCount < 1100 {
			t.Fatalf("%d steps in all, trace %v", got.StepCount, got.Trace)
		}
		if len(got.Steps) == 0 {
			if len(steps) != got.StepCount {
				t.Errorf("the pages have %d steps of %d", len(steps), got.StepCount)
			}
			break
		}
		steps = append(steps, got.Steps...)
	}
	for _, at := range []int{0, 1, 700, len(steps) - 1} {
		one, fault := pb.GetRun(t.Context(), execution.GetRunInput{RunID: r.RunID, Index: &at})
		if fault != nil || one.Step.Node != steps[at].Node || one.Step.Key != steps[at].Key {
			t.Errorf("step %d is %+v, %v, in the list %+v", at, one, fault, steps[at])
		}
	}
	below := -1
	if _, fault := pb.GetRun(t.Context(), execution.GetRunInput{RunID: r.RunID, From: &below}); fault == nil || fault.Path != "/from" {
		t.Errorf("from -1: %v", fault)
	}
}
