package run_test

import (
	"fmt"
	"testing"

	"github.com/patchbay-mcp/patchbay/run"
)

// TestOpenOfManySteps looks at a long loop: who asks what is open, at the end of the run,
// does not wait for something to be made of each step.
func TestOpenOfManySteps(t *testing.T) {
	rec := &run.Record{Status: run.Failed}
	for i := range 10_000 {
		rec.Steps = append(rec.Steps, &run.StepRecord{Index: i, Node: "loop", Key: fmt.Sprint("loop#", i), Ended: i + 1})
	}
	rec.Steps[9_999].Ended = 0
	allocs := testing.AllocsPerRun(5, func() {
		if open := rec.Open(); len(open) != 1 || open[0].Key != "loop#9999" {
			t.Errorf("open: %v", open)
		}
		if calls := rec.InDoubt(); calls != nil {
			t.Errorf("in doubt: %v", calls)
		}
	})
	if allocs > 20 {
		t.Errorf("%v allocations for 10,000 steps", allocs)
	}
}

// TestOpenLeavesOutWhatIsOver has steps that did not end within one that is done.
func TestOpenLeavesOutWhatIsOver(t *testing.T) {
	rec := &run.Record{Status: run.Failed, Steps: []*run.StepRecord{
		{Key: "fork#0", Frame: true, Ended: 2},
		{Key: "fork#0/a/late#0"},
		{Key: "call#0", Frame: true},
		{Key: "call#0/exit#0"},
	}}
	if open := rec.Open(); len(open) != 1 || open[0].Key != "call#0/exit#0" {
		t.Errorf("open: %v", open)
	}
}
