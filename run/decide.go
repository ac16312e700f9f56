package run

import (
	"slices"
	"strconv"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// A Decision says how a run continues at a step that failed or whose outcome is
// not known.
type Decision struct {
	Do   string     // retry, skip or pin
	Step string     // key of the step; "" means the only one
	Pin  expr.Value // the step's output, with pin
}

// Decide changes the record so that the run, when resumed, continues as decided. A
// decision is about one step, or all of a node, and changes nothing of any other. A
// retry without a step continues the run, and tries the steps that failed again. A call
// in doubt is made again only by a retry that names its step.
func (r *Record) Decide(d Decision, now time.Time) *diag.Fault {
	chosen, fault := r.choose(d)
	if fault != nil {
		return fault
	}
	code := "crash"
	if r.Fault != nil {
		code = r.Fault.Code
	}
	r.Resumed = append(r.Resumed, Resumption{At: now, After: code, Decision: d.Do, Step: d.Step})
	for _, step := range chosen {
		if step.Done() {
			r.recompute(step.Ended)
		}
		r.forget(step, d.Do == "retry")
		switch d.Do {
		case "skip":
			r.give(step, nil, "skip", now)
		case "pin":
			r.give(step, d.Pin, "pin", now)
		}
	}
	return nil
}

var (
	CodeNotResumable = diag.DefineFault("not-resumable", diag.RefusesRequest, "the run has succeeded, or has no open step for the decision", "start a new run")
	CodeUnknownNode  = diag.DefineFault("unknown-node", diag.RefusesRequest, "the catalog, the graph or the run has no node with this id", "take one of the suggestions")
	CodeWhichStep    = diag.DefineFault("which-step", diag.RefusesRequest, "the run has several open steps or questions, or the call of the step was completed", "name one with `--step`")
	CodeTimeLimit    = diag.DefineFault("time-limit", diag.FailsAttempt, "the run reached `maxExecutionTimeMs`", "raise `executionLimits`, or resume: the time starts again")
)

// choose returns the open steps that a decision is about.
func (r *Record) choose(d Decision) ([]*StepRecord, *diag.Fault) {
	open := r.Open()
	keys := lists.Each(open, func(step *StepRecord) string { return step.Key })
	var chosen []*StepRecord
	switch {
	case d.Step != "":
		for _, step := range open {
			if step.Key == d.Step || step.Node == d.Step {
				chosen = append(chosen, step)
			}
		}
	case d.Do == "retry":
		return r.retried(open)
	default:
		if chosen = slices.DeleteFunc(slices.Clone(open), (*StepRecord).stopped); len(chosen) == 0 {
			chosen = open
		}
	}
	switch {
	case len(open) == 0:
		return nil, diag.Faultf(CodeNotResumable, "the run has no open step to %s", d.Do).WithHint(`resume_run {"decision": "retry"} without a step continues the run`)
	case len(chosen) == 0:
		f := diag.Faultf(CodeUnknownNode, "the run has no open step %q", d.Step)
		f.Path, f.Suggestions, f.Hint = "/step", diag.Closer(d.Step, keys, 3), "the open steps are "+diag.OneOf(keys, 12)
		return nil, f
	case len(chosen) > 1 && d.Do != "retry":
		return nil, whichStep(chosen, d.Do)
	}
	return chosen, nil
}

// retried returns the steps that a retry without a step is about.
func (r *Record) retried(open []*StepRecord) (again []*StepRecord, fault *diag.Fault) {
	var asked []*StepRecord // in doubt, and the run has stopped for it
	for _, step := range open {
		switch inDoubt := r.callInDoubt(step) != nil; {
		case inDoubt && r.asksAbout(step):
			asked = append(asked, step)
		case !inDoubt && step.Fault != nil:
			again = append(again, step)
		}
	}
	switch {
	case len(again) > 0 || len(asked) == 0:
		return again, nil
	case len(asked) > 1:
		return nil, whichStep(asked, "retry")
	}
	return nil, diag.Faultf(CodeWhichStep, "the call of %s may have taken effect, and is made again only by a retry that names the step", asked[0].Key).
		At("/step").WithHint("name " + asked[0].Key + ", or skip it, or pin its output")
}

func whichStep(of []*StepRecord, do string) *diag.Fault {
	keys := lists.Each(of, func(step *StepRecord) string { return step.Key })
	return diag.Faultf(CodeWhichStep, "the run has %d open steps, and %s applies to one", len(of), do).At("/step").WithHint("name one of " + diag.OneOf(keys, 12))
}

// stopped reports whether the step did not fail by itself: the run was cancelled or
// its time was up, or a step at the same time failed. Its call may have taken effect.
func (s *StepRecord) stopped() bool {
	return s.Fault != nil && (s.Fault.Code == diag.CodeCancelled || s.Fault.Code == CodeTimeLimit)
}

// asksAbout reports whether the run has stopped to ask about a step in doubt. A run
// that has failed at one does not ask yet.
func (r *Record) asksAbout(step *StepRecord) bool {
	return step.Fault == nil && r.Fault != nil && r.Fault.Code == OutcomeUnknown
}

// forget removes an execution from the record, with its calls. One that is executed
// again, and did not fail by itself, keeps its time, its questions and its waits. What a
// person has permitted or not is kept in any case: it concerns the whole run. One
// that consists of others is at the attempt that they are part of.
func (r *Record) forget(step *StepRecord, again bool) {
	begun := step.Fault == nil || step.stopped()
	for i := range r.Intents {
		if in := &r.Intents[i]; in.Step == step.Key && in.Kind == IntentCall {
			if _, asks := in.Tokens(); asks {
				in.Kind, in.Key = IntentSpent, in.Key+"/spent#"+strconv.Itoa(len(r.Resumed))
			}
		}
	}
	r.Intents = slices.DeleteFunc(r.Intents, func(in Intent) bool {
		kept := in.Kind == IntentSpent || in.permits() && in.Outcome != nil || again && (in.Kind == IntentAsk && in.Outcome == nil || in.Kind == IntentSleep && (begun || step.Frame))
		return in.Step == step.Key && !kept
	})
	r.SetTally(nil)
	started := step.Started
	*step = StepRecord{Index: step.Index, Node: step.Node, Type: step.Type, Key: step.Key, Part: step.Part, Pure: step.Pure, Frame: step.Frame, Definition: step.Definition, Branches: step.Branches}
	if begun {
		step.Started = started
	}
}

// recompute removes later steps whose output may follow from that of a step, so that
// they are computed again.
func (r *Record) recompute(after int) {
	for i := range r.Steps {
		if step := r.Steps[i]; step.Ended > after && step.Follows() {
			r.forget(step, true)
		}
	}
}

// give makes a step done with an output that was not computed.
func (r *Record) give(step *StepRecord, output expr.Value, from string, now time.Time) {
	last := 0
	for i := range r.Steps {
		last = max(last, r.Steps[i].Ended)
	}
	r.SetTally(nil)
	step.Started, step.Output, step.Simulated, step.Ended = now, output, from, last+1
}
