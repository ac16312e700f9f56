package app_test

import (
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/run"
)

// A dry run waits for no time to pass, and says of each wait that it did not.
func TestDryRunDoesNotWait(t *testing.T) {
	pb := overWith(t, app.Options{Limits: run.Limits{MaxExecutionTime: 30 * time.Second}}, offered) // a real wait is longer
	r, fault := pb.Run(t.Context(), execution.RunInput{Mode: "dry_run", GraphInput: plans.GraphInput{Graph: text(`
nodes:
  - {id: entry, type: entry, next: pause}
  - {id: pause, type: wait, ms: 60000, next: until}
  - {id: until, type: wait, until: {expr: $fromMillis($millis() + 60000)}, next: exit}
  - {id: exit, type: exit, result: {expr: $.pause}}
`)}})
	r = ran(t, r, fault, run.Succeeded)
	if string(r.Result) != `{"waitedMs":60000}` {
		t.Errorf("the result is %s", r.Result)
	}
	for _, step := range r.Trace {
		if wait := step.Node == "pause" || step.Node == "until"; (step.Simulated == "dry_run") != wait {
			t.Errorf("%s is simulated %q", step.Node, step.Simulated)
		}
	}
}
