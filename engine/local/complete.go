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
	for _, everything := range []bool{false, true} {
		if !HasLost(rec) {
			return
		}
		past := newMemory(rec)
		past.look = &look{}
		if everything {
			past.look.inside = holdingLost(rec)
		}
		again := map[string]*run.StepRecord{}
		replayed := replay(ctx, plan, rec, past)
		for i := range replayed.Steps {
			again[replayed.Steps[i].Key] = replayed.Steps[i]
		}
		for i := range rec.Steps {
			step := rec.Steps[i]
			if is := again[step.Key]; step.Lost && is != nil && is.Done() && is.Definition == step.Definition {
				step.Input, step.Output, step.Lost = is.Input, is.Output, false
			}
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

// holdingLost returns the keys of the steps that have a lost one as a part.
func holdingLost(rec *run.Record) map[string]bool {
	holding := map[string]bool{}
	for i := range rec.Steps {
		if rec.Steps[i].Lost {
			for _, of := range run.Enclosing(rec.Steps[i].Key) {
				holding[of] = true
			}
		}
	}
	return holding
}

// look is how a walk over a record computes what the record has lost: it takes what is
// recorded, and executes the lost steps alone.
type look struct {
	// inside has the steps whose parts are executed again although the step is
	// recorded, those of its earlier attempts too. Nil leaves them out.
	inside map[string]bool
}

// looked fills in what is recorded of an execution, and reports whether it need not be
// done. What did not happen is not done either.
func (m *memory) looked(e *run.Event) (known bool, err error) {
	inside := m.look.inside[e.Key]
	if failed := m.retries[e.Key]; inside {
		e.Failed = failed
	} else {
		e.Attempts = failed
	}
	i, recorded := m.steps[e.Key]
	if !recorded && m.over(e.Key) {
		return false, notRecorded(e.Key)
	}
	if !recorded {
		return false, nil
	}
	step := m.done[i]
	if !step.Started.IsZero() {
		e.At = step.Started
	}
	switch {
	case step.Definition != e.Definition && !step.Given(), step.Ended == 0 && !step.Frame:
		return false, notRecorded(e.Key)
	case step.Ended == 0, step.Lost:
		e.Again = step.Lost
		return false, nil
	}
	take(e, step)
	e.Call, e.Inside = "", inside // whether it would be the same call does not matter
	return true, nil
}

// over reports whether a step that is not recorded did not happen: what it would be
// part of was stopped or decided, or tried again.
func (m *memory) over(key string) bool {
	for _, of := range run.Enclosing(key) {
		if i, recorded := m.steps[of]; recorded && (m.done[i].Ended == 0 || !m.done[i].Follows()) {
			return true
		}
	}
	return run.Superseded(key, m.retries)
}

// inTurn runs f for 0 … n-1, also after one has failed: of what happened at the same
// time, everything is looked at. It returns the first error.
func inTurn(ctx context.Context, n int, f func(ctx context.Context, i int) error) (first error) {
	for i := range n {
		if err := f(ctx, i); err != nil && first == nil {
			first = err
		}
	}
	return first
}
