package app_test

import (
	"fmt"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// The node executions that a reply counts are those that the limit counts.
func TestExecutionsAreCountedAsTheLimitCounts(t *testing.T) {
	pb := product(t)
	run := func(limit int) *execution.RunResult {
		r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText("g", fmt.Sprintf(`
version: "1.0"
executionLimits: {maxNodeExecutions: %d}
tools:
  - name: g
    nodes:
      - {id: entry, type: entry, next: each}
      - {id: each, type: transform, transform: {expr: $item}, foreach: {items: {expr: '[1..4]'}}, next: exit}
      - {id: exit, type: exit}
`, limit), "")})
		if fault != nil {
			t.Fatal(fault)
		}
		return r
	}
	r := run(100)
	if r.Status != "succeeded" || r.NodeExecutions != 6 {
		t.Fatalf("%s after %d node executions: %s", r.Status, r.NodeExecutions, r.Rendered)
	}
	if again := run(r.NodeExecutions); again.Status != "succeeded" {
		t.Errorf("with a limit of %d: %s", r.NodeExecutions, again.Status)
	}
	if less := run(r.NodeExecutions - 1); less.Status != "failed" {
		t.Errorf("with a limit of %d: %s", r.NodeExecutions-1, less.Status)
	}
}
