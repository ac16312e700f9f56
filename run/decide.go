package run

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/schema"
)

// A Decision says how a run continues at a step that failed or whose outcome is
// not known.
type Decision struct {
	Do   string     // retry, skip or pin
	Step string     // key of the step; "" means the only one
	Pin  expr.Value // the step's output, with pin
}

// Open returns the open steps of a run: those that failed, or had begun and not
// ended. It omits the steps that contain them, and the parts of a step that is done or
// of an attempt that was followed by another. It is the exit if only the result was
// refused, and empty if the run was stopped between two steps.
func (r *Record) Open() []*StepRecord {
	done, holds := map[string]bool{}, map[string]bool{} // holds: steps that others are part of
	latest := map[string]int{}                          // attempt, of steps that were tried again
	for i := range r.Steps {
		key := r.Steps[i].Key
		if r.Steps[i].Done() {
			done[key] = true
		}
		for _, of := range enclosing(key) {
			latest[of] = max(latest[of], attemptIn(key, of))
		}
	}
	var undone []*StepRecord
	for i := range r.Steps {
		step := &r.Steps[i]
		if step.Key == "" || step.Done() || slices.ContainsFunc(enclosing(step.Key), func(of string) bool { return done[of] || attemptIn(step.Key, of) < latest[of] }) {
			continue
		}
		undone = append(undone, step)
		for _, key := range enclosing(step.Key) {
			holds[key] = true
		}
	}
	open := undone[:0]
	for _, step := range undone {
		if !holds[step.Key] {
			open = append(open, step)
		}
	}
	if last := r.last(); len(open) == 0 && last != nil && r.Fault != nil && r.Fault.Code == "invalid-result" {
		open = append(open, last)
	}
	return open
}

// last returns the step of the run's own nodes that ended last, or nil.
func (r *Record) last() *StepRecord {
	var last *StepRecord
	for i := range r.Steps {
		if step := &r.Steps[i]; !step.Part && (last == nil || step.Ended > last.Ended) {
			last = step
		}
	}
	return last
}

// enclosing returns the keys of the steps that a step is part of, outermost first.
func enclosing(key string) []string {
	var keys []string
	for i := range key {
		if key[i] == '/' || key[i] == '[' {
			keys = append(keys, key[:i])
		}
	}
	return keys
}

// attemptIn returns the attempt at a step in which another was executed, of which the
// key begins with that of the first: "call#0/#2/a#0" is of the second at "call#0".
func attemptIn(key, of string) int {
	if rest, numbered := strings.CutPrefix(key[len(of):], "/#"); numbered {
		digits, _, _ := strings.Cut(rest, "/")
		if n, err := strconv.Atoi(digits); err == nil {
			return n
		}
	}
	return 1
}

// Asked returns the intent of a step that is a question nobody has answered, or
// nil.
func (r *Record) Asked(step string) *Intent {
	for i := range r.Intents {
		if in := &r.Intents[i]; in.Kind == IntentAsk && in.Outcome == nil && (in.Step == step || step == "") {
			return in
		}
	}
	return nil
}

// Decide changes the record so that the run, when resumed, continues as decided. A retry
// without a step is for all steps that failed by themselves; a call of another that
// was in flight when that was stopped is not forgotten. Where no step is open, a
// retry continues the run.
func (r *Record) Decide(d Decision, now time.Time) *diag.Fault {
	open := r.Open()
	var causes []*StepRecord // not stopped by the failure of a sibling
	for _, step := range open {
		if !step.stopped() {
			causes = append(causes, step)
		}
	}
	if len(causes) == 0 {
		causes = open
	}
	chosen := causes
	if d.Step != "" {
		chosen = nil
		for _, step := range open {
			if step.Key == d.Step || step.Node == d.Step {
				chosen = append(chosen, step)
			}
		}
	}
	keys := make([]string, len(open))
	for i, step := range open {
		keys[i] = step.Key
	}
	switch {
	case len(r.Steps) == 0:
		return diag.Faultf("not-resumable", "the run has not started any step")
	case len(open) == 0 && d.Do == "retry" && d.Step == "":
	case len(open) == 0:
		f := diag.Faultf("not-resumable", "the run has no open step to %s", d.Do)
		f.Hint = "decision retry without a step continues the run"
		return f
	case len(chosen) == 0:
		f := diag.Faultf("unknown-node", "the run has no open step %q", d.Step)
		f.Path, f.Suggestions, f.Hint = "/step", diag.Closer(d.Step, keys, 3), "the open steps are "+diag.OneOf(keys, 12)
		return f
	case len(chosen) > 1 && d.Do != "retry":
		f := diag.Faultf("which-step", "the run has %d open steps, and %s applies to one", len(chosen), d.Do)
		f.Path, f.Hint = "/step", "name one of "+diag.OneOf(keys, 12)
		return f
	}
	code := "crash"
	if r.Fault != nil {
		code = r.Fault.Code
	}
	r.Resumed = append(r.Resumed, Resumption{At: now, After: code, Decision: d.Do, Step: d.Step})
	for _, step := range open {
		if step.Fault != nil && !slices.Contains(chosen, step) { // nobody has decided about it
			r.forget(step, false)
		}
	}
	for _, step := range chosen {
		r.forget(step, d.Do != "retry" || d.Step != "" || r.shown(step))
		switch d.Do {
		case "skip":
			r.give(step, nil, "skip")
		case "pin":
			r.give(step, d.Pin, "pin")
		}
	}
	return nil
}

// stopped reports whether the step did not fail by itself: the run was cancelled or
// its time was up, or a step at the same time failed. Its call may have taken effect.
func (s *StepRecord) stopped() bool {
	return s.Fault != nil && (s.Fault.Code == "cancelled" || s.Fault.Code == "time-limit")
}

// shown reports whether the status of a step, failed or of unknown outcome, was
// reported to whoever resumes the run.
func (r *Record) shown(step *StepRecord) bool {
	if step.Fault == nil {
		return r.Fault != nil && r.Fault.Code == OutcomeUnknown
	}
	return !step.stopped()
}

// forget removes an execution from the record, so that it is executed again. One that
// had begun and not failed keeps its time, its questions and its waits. The intent of
// a call of unknown outcome is removed only if that was decided.
func (r *Record) forget(step *StepRecord, decided bool) {
	begun := step.Fault == nil || step.stopped()
	kept := r.Intents[:0]
	for _, in := range r.Intents {
		open := in.Kind == IntentAsk && in.Outcome == nil || in.Kind == IntentSleep && begun || in.Kind == IntentCall && in.Outcome == nil && !decided
		if in.Step != step.Key || open {
			kept = append(kept, in)
		}
	}
	r.Intents = kept
	anew := StepRecord{Index: step.Index, Node: step.Node, Type: step.Type, Key: step.Key, Part: step.Part, Pure: step.Pure, Definition: step.Definition, Branches: step.Branches}
	if begun {
		anew.Started = step.Started
	}
	*step = anew
}

// give makes a step done with an output that was not computed.
func (r *Record) give(step *StepRecord, output expr.Value, from string) {
	last := 0
	for i := range r.Steps {
		last = max(last, r.Steps[i].Ended)
	}
	now := r.Resumed[len(r.Resumed)-1].At
	step.Started, step.Output, step.Simulated, step.Ended = now, output, from, last+1
}

// Reply files a person's answer to a question of the run. The content of an
// acceptance must satisfy the question's schema.
func (r *Record) Reply(step string, a Answer, now time.Time) (*Intent, *diag.Fault) {
	in := r.Asked(step)
	if in == nil {
		f := diag.Faultf("not-asked", "the run %s has no open question", r.ID)
		if step != "" {
			f = diag.Faultf("not-asked", "step %q of the run %s has no open question", step, r.ID)
		}
		f.Hint = "runs show " + r.ID + " shows its state"
		return nil, f
	}
	if !in.Until.IsZero() && now.After(in.Until) && a.Action != "timeout" {
		f := diag.Faultf("too-late", "the question was open until %s", in.Until.UTC().Format(time.RFC3339))
		f.Hint = "the run continues with the action timeout: runs resume " + r.ID
		return nil, f
	}
	switch a.Action {
	case "accept":
		if f := checkContent(in.Detail, a.Content); f != nil {
			return nil, f
		}
	case "decline", "cancel", "timeout":
		a.Content = nil
	default:
		f := diag.Faultf("bad-argument", "unknown action %q", a.Action)
		f.Path, f.Hint = "/action", "accept, decline or cancel"
		return nil, f
	}
	in.Outcome, _ = json.Marshal(a)
	r.Resumed = append(r.Resumed, Resumption{At: now, After: NeedsAnswer, Decision: "answer", Step: in.Step})
	return in, nil
}

func checkContent(detail, content json.RawMessage) *diag.Fault {
	var q struct {
		Schema json.RawMessage `json:"schema"`
	}
	if json.Unmarshal(detail, &q) != nil || len(q.Schema) == 0 {
		return nil
	}
	if len(content) == 0 {
		content = json.RawMessage("{}")
	}
	if !strings.HasPrefix(strings.TrimSpace(string(content)), "{") {
		f := diag.Faultf("bad-argument", "the content of an answer is an object")
		f.Path, f.Want = "/content", q.Schema
		return f
	}
	found := schema.New(q.Schema).Check(content)
	if len(found) == 0 {
		return nil
	}
	f := schema.Fault("bad-argument", "the answer does not satisfy the question's schema", "/content", found)
	f.Want = q.Schema
	return f
}
