package local

import (
	"context"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/run"
)

// Complete computes again the inputs and outputs that a record has lost, if they
// follow from the rest. No call is made. Those of steps that the plan does not reach
// stay lost.
func Complete(ctx context.Context, plan *engine.Plan, rec *run.Record) {
	if !HasLost(rec) {
		return
	}
	again := map[string]*run.StepRecord{}
	past := memoryOf(rec)
	past.latest = true
	replayed := replay(ctx, plan, rec, past)
	for i := range replayed.Steps {
		again[replayed.Steps[i].Key] = &replayed.Steps[i]
	}
	for i := range rec.Steps {
		step := &rec.Steps[i]
		if is := again[step.Key]; step.Lost && is != nil && is.Done() && is.Definition == step.Definition {
			step.Input, step.Output, step.Lost = is.Input, is.Output, false
		}
	}
}

// HasLost reports whether something of a record was lost.
func HasLost(rec *run.Record) bool {
	for i := range rec.Steps {
		if rec.Steps[i].Lost {
			return true
		}
	}
	return false
}
