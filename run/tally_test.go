package run

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
)

// TestTally files steps at random, and compares the tally with the steps.
func TestTally(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	coin := func() bool { return r.IntN(2) == 0 }
	for range 100 {
		rec, tally := &Record{}, &Tally{}
		for range 1 + r.IntN(50) {
			if len(rec.Steps) == 0 || coin() {
				rec.Steps = append(rec.Steps, &StepRecord{Index: len(rec.Steps)})
				tally.Add(rec.Steps[len(rec.Steps)-1])
			}
			step := rec.Steps[r.IntN(len(rec.Steps))]
			tally.Remove(step)
			step.Key, step.Frame, step.Ended, step.Size, step.Caught = "step", coin(), r.IntN(3), r.IntN(100), coin()
			step.Fault, step.Call, step.Simulated = nil, "", ""
			if coin() {
				step.Fault = diag.Faultf("tool-failed", "it failed")
			}
			if coin() {
				step.Call = "call"
			}
			if r.IntN(4) == 0 {
				step.Simulated = DryRun
			}
			tally.Add(step)
		}
		if want := *rec.counted(); *tally != want {
			t.Fatalf("the tally is %+v, the steps are %+v", *tally, want)
		}
		undone := rec.Undone()
		rec.SetTally(tally)
		if got := rec.Undone(); !slices.Equal(got, undone) {
			t.Fatalf("undone are %v with the tally, and %v without", got, undone)
		}
	}
}

// TestTheEndOfManySteps: who asks what has become of a run that has stopped does not go
// over its steps. Those that are not there cannot be looked at.
func TestTheEndOfManySteps(t *testing.T) {
	last := &StepRecord{Index: 999, Node: "loop", Key: "loop#999"}
	tally := &Tally{executions: 1000, filed: 1000, done: 999, calls: 3, called: 30}
	rec := &Record{Status: Failed, Steps: append(make([]*StepRecord, 999), last)}
	rec.SetTally(tally)
	calls, bytes := rec.Calls()
	if rec.Executions() != 1000 || rec.Filed() != 1000 || calls != 3 || bytes != 30 {
		t.Errorf("%d executions, %d steps, %d calls with %d bytes", rec.Executions(), rec.Filed(), calls, bytes)
	}
	if open := rec.Open(); len(open) != 1 || open[0] != last {
		t.Errorf("open: %v", open)
	}
}

// TestDecisionsAreTallied: a step that a decision changes is not counted as it was.
func TestDecisionsAreTallied(t *testing.T) {
	step := &StepRecord{Key: "call#0", Fault: diag.Faultf("tool-failed", "it failed"), Ended: 1}
	rec, tally := &Record{Steps: []*StepRecord{step}}, &Tally{}
	tally.Add(step)
	rec.SetTally(tally)
	rec.forget(step, true)
	rec.give(step, 1.0, "pin", rec.Started)
	if len(rec.Undone()) != 0 {
		t.Error("the step is not done")
	}
}
