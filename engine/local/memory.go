package local

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/run"
)

// memory is what an earlier attempt at a run has done, by key. The nil memory
// knows nothing.
type memory struct {
	steps   map[string]int // index in what the record had
	intents map[string]int
	retries map[string]int // attempts that failed, of steps that were tried again
	done    []*run.StepRecord
	begun   []run.Intent
	limit   string // the code of the limit that stopped the run, if one did

	replay bool            // recall only what came from outside, and failures too
	holds  map[string]bool // with replay: steps that others are part of
	look   *look           // with replay: recall all that is recorded
	live   Live            // with replay
}

func newMemory(rec *run.Record) *memory {
	m := &memory{steps: map[string]int{}, intents: map[string]int{}, retries: rec.FailedAttempts(), done: run.CloneSteps(nil, rec.Steps), begun: append([]run.Intent{}, rec.Intents...)}
	for i := range m.done {
		m.steps[m.done[i].Key] = i
	}
	if rec.Fault != nil && (rec.Fault.Code == engine.CodeTooManyExecutions || rec.Fault.Code == engine.CodeTooLarge) {
		m.limit = rec.Fault.Code
	}
	for i := range m.begun {
		m.intents[m.begun[i].Key] = i
	}
	return m
}

// recall fills in what is known of an execution that is about to start, and
// reports whether it need not be done.
func (m *memory) recall(e *run.Event) (known bool, err error) {
	if m == nil {
		return false, nil
	}
	if m.replay && m.cut(e) {
		return false, notRecorded(e.Key)
	}
	if m.look != nil {
		return m.looked(e)
	}
	if !m.replay {
		e.Attempts = m.retries[e.Key]
	}
	i, ok := m.steps[e.Key]
	if !ok && m.replay && run.Superseded(e.Key, m.retries) { // time ended the attempt before this step
		return false, diag.Faultf(run.CodeAttemptTimeout, "the recording has no %s: the attempt was cut short before", e.Key)
	}
	if !ok {
		return false, nil
	}
	step := m.done[i]
	if m.replay {
		return m.replayed(e, step), nil
	}
	if !step.Started.IsZero() {
		e.At = step.Started
	}
	if !step.Done() {
		return false, nil
	}
	if step.Definition != e.Definition && !step.Given() {
		return false, diag.Faultf(diag.CodeGraphChanged, "the run completed %s with a definition of node %q that differs from the graph's", step.Key, e.Node).
			WithHint("a run can only be resumed when its completed steps are unchanged; start a new run")
	}
	if step.Lost {
		e.Again = true
		return false, nil
	}
	take(e, step)
	return true, nil
}

// repeats reports whether the run is not to come to anything new: it is a replay, or
// computes lost values.
func (m *memory) repeats() bool { return m != nil && (m.replay || m.look != nil) }

// used returns how many node executions are recorded. In a replay these count only if
// they were too many: then the steps that the replay does not reach were, too.
func (m *memory) used() int {
	if m == nil || m.replay && m.limit != "too-many-executions" {
		return 0
	}
	n := 0
	for i := range m.done {
		if step := m.done[i]; step.Key != "" && !step.Frame {
			n++
		}
	}
	return n
}

// cut reports whether an execution is of a detached branch, and was
// ended before it or in it: it does not happen in a replay either.
func (m *memory) cut(e *run.Event) bool {
	i, recorded := m.steps[e.Key]
	if recorded && (m.done[i].Ended > 0 || e.Frame) {
		return false
	}
	return run.Detached(e.Key, func(of string) []string {
		if i, known := m.steps[of]; known {
			return m.done[i].Branches
		}
		return nil
	})
}

// lost returns a step that has ended and is computed again, or nil.
func (m *memory) lost(key string) *run.StepRecord {
	if m == nil || m.replay {
		return nil
	}
	if i, ok := m.steps[key]; ok && m.done[i].Lost {
		return m.done[i]
	}
	return nil
}

// take makes the start of an execution into its recorded end.
func take(e *run.Event, step *run.StepRecord) {
	e.Ended, e.Index, e.Input, e.Output, e.Caught, e.Attempts, e.Simulated = true, step.Index, step.Input, step.Output, step.Caught, step.Attempts, step.Simulated
	e.Call = step.Call
	if step.Fault != nil {
		e.Err = step.Fault
	}
}

// index returns the index of an execution that had begun.
func (m *memory) index(key string) (int, bool) {
	if m == nil || m.replay {
		return 0, false
	}
	i, ok := m.steps[key]
	if !ok {
		return 0, false
	}
	return m.done[i].Index, true
}

// intent returns what an earlier attempt was about to do, or nil.
func (m *memory) intent(key string) *run.Intent {
	if m == nil {
		return nil
	}
	if i, ok := m.intents[key]; ok {
		return &m.begun[i]
	}
	return nil
}

// asWhole reports whether a replay takes the outcome of a step as it is, without what
// the step consists of.
func asWhole(step *run.StepRecord) bool { return step.Given() || step.CutShort() }

// replayed takes what came from outside of the run, and leaves what follows from
// it to be computed again.
func (m *memory) replayed(e *run.Event, step *run.StepRecord) bool {
	if !step.Started.IsZero() {
		e.At = step.Started
	}
	if step.Ended == 0 || !asWhole(step) && (e.Pure || e.Frame && step.Follows() || m.holds[e.Key]) {
		e.Again = step.Done() && m.limit != "too-large"
		return false
	}
	switch {
	case m.live.MaxReply != nil && (*engine.KindSet)(nil).AsksModel(e.Type),
		m.live.Tools != nil && callsTool(e.Type) && step.Fault == nil && step.Simulated == "": // the call itself tells which tool it is of
		return false
	}
	take(e, step)
	if e.Err != nil && !e.Caught {
		f := *step.Fault
		e.Err = &f
	}
	return true
}
