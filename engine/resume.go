package engine

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
)

// A Decision says how a run goes on at a step that failed, or of which it is not
// known whether it happened.
type Decision struct {
	Do   string     // retry, skip or pin
	Step string     // key of the step; "" means the only one
	Pin  expr.Value // the step's output, with pin
}

// Open returns the steps at which a run stands: those that failed, or had begun
// and not ended, without the steps they are part of. After a failure that is no
// step's own, it is the last one.
func (r *Record) Open() []*StepRecord {
	holds := map[string]bool{} // steps that others are part of
	var undone []*StepRecord
	for i := range r.Steps {
		step := &r.Steps[i]
		if step.Key == "" || step.Done() {
			continue
		}
		undone = append(undone, step)
		for i := range step.Key {
			if step.Key[i] == '/' || step.Key[i] == '[' {
				holds[step.Key[:i]] = true
			}
		}
	}
	open := undone[:0]
	for _, step := range undone {
		if !holds[step.Key] {
			open = append(open, step)
		}
	}
	if len(open) == 0 && r.Fault != nil {
		var last *StepRecord
		for i := range r.Steps {
			if last == nil || r.Steps[i].Ended > last.Ended {
				last = &r.Steps[i]
			}
		}
		if last != nil {
			open = append(open, last)
		}
	}
	return open
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

// Decide changes the record so that the run, resumed, goes on as decided. A retry
// without a step is for all that are open.
func (r *Record) Decide(d Decision, now time.Time) *diag.Fault {
	open := r.Open()
	var causes []*StepRecord // not stopped by what failed beside them
	for _, step := range open {
		if step.Fault == nil || step.Fault.Code != "cancelled" {
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
	case len(open) == 0:
		return diag.Faultf("not-resumable", "the run has not begun any step")
	case len(chosen) == 0:
		f := diag.Faultf("unknown-node", "the run does not stand at a step %q", d.Step)
		f.Path, f.Suggestions, f.Hint = "/step", diag.Closer(d.Step, keys, 3), "it stands at "+diag.OneOf(keys, 12)
		return f
	case len(chosen) > 1 && d.Do != "retry":
		f := diag.Faultf("which-step", "the run stands at %d steps, and %s is for one", len(chosen), d.Do)
		f.Path, f.Hint = "/step", "name one of "+diag.OneOf(keys, 12)
		return f
	}
	code := "crash"
	if r.Fault != nil {
		code = r.Fault.Code
	}
	r.Resumed = append(r.Resumed, Resumption{At: now, After: code, Decision: d.Do, Step: d.Step})
	for _, step := range open {
		if step.Fault != nil && !step.Caught { // what is known to have failed begins anew
			r.forget(step)
		}
	}
	for _, step := range chosen {
		r.forget(step)
		switch d.Do {
		case "skip":
			r.give(step, nil, "skip")
		case "pin":
			r.give(step, d.Pin, "pin")
		}
	}
	return nil
}

// forget takes back what is known of an execution, so that it is done anew. What
// had begun and not failed keeps its time, its questions and its waits.
func (r *Record) forget(step *StepRecord) {
	kept := r.Intents[:0]
	for _, in := range r.Intents {
		open := in.Kind == IntentAsk && in.Outcome == nil || in.Kind == IntentSleep && step.Fault == nil
		if in.Step != step.Key || open {
			kept = append(kept, in)
		}
	}
	r.Intents = kept
	anew := StepRecord{Index: step.Index, Node: step.Node, Type: step.Type, Key: step.Key, Part: step.Part, Pure: step.Pure, Definition: step.Definition}
	if step.Fault == nil {
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
		f := diag.Faultf("not-asked", "the run %s asks nothing", r.ID)
		if step != "" {
			f = diag.Faultf("not-asked", "step %q of the run %s asks nothing", step, r.ID)
		}
		f.Hint = "runs show " + r.ID + " tells where it stands"
		return nil, f
	}
	if !in.Until.IsZero() && now.After(in.Until) && a.Action != "timeout" {
		f := diag.Faultf("too-late", "the question was open until %s", in.Until.UTC().Format(time.RFC3339))
		f.Hint = "the run goes on with the action timeout: runs resume " + r.ID
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
		f := diag.Faultf("bad-argument", "no action is called %q", a.Action)
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
	found := NewSchema(q.Schema).Check(content)
	if len(found) == 0 {
		return nil
	}
	f := schemaFault("bad-argument", "the answer does not satisfy the question's schema", "/content", found)
	f.Want = q.Schema
	return f
}
