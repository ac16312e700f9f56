package run

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/schema"
)

// Questions returns the intents of the questions that wait for a person's answer, in
// the order in which they were asked. A question of a step that the run no longer
// needs is not among them. While the run executes, these are the questions with which calls
// wait; the others can be answered when it has stopped.
func (r *Record) Questions() []*Intent {
	if r.Status == Running {
		return r.held()
	}
	var asked []*Intent
	var open map[string]bool
	for i := range r.Intents {
		in := &r.Intents[i]
		if in.Kind != IntentAsk || in.Outcome != nil {
			continue
		}
		if open == nil {
			open = map[string]bool{}
			for _, step := range r.Open() {
				open[step.Key] = true
			}
		}
		if open[in.Step] {
			asked = append(asked, in)
		}
	}
	return asked
}

// held returns the questions with which calls wait.
func (r *Record) held() (asked []*Intent) {
	for i := range r.Intents {
		if in := &r.Intents[i]; in.Kind == IntentHeld && in.Outcome == nil {
			asked = append(asked, in)
		}
	}
	return asked
}

// Answer sets the answer to a question with which a call waits. It is false if there is no
// such question, or it has an answer.
func (r *Record) Answer(key string, answer json.RawMessage) bool {
	for _, in := range r.held() {
		if in.Key == key {
			in.Outcome = answer
			return true
		}
	}
	return false
}

// CloseQuestions removes the questions that calls waited for when the process of the run ended.
func (r *Record) CloseQuestions() {
	r.Intents = slices.DeleteFunc(r.Intents, func(in Intent) bool { return in.Kind == IntentHeld && in.Outcome == nil })
}

// Asked returns the first question that waits for an answer, of one step or, where
// that is "", of any. Nil means there is none.
func (r *Record) Asked(step string) *Intent {
	for _, in := range r.Questions() {
		if in.Step == step || step == "" {
			return in
		}
	}
	return nil
}

var (
	CodeNotAsked = diag.DefineFault("not-asked", diag.RefusesRequest, "the run has no open question", "see `patchbay runs show`")
	CodeTooLate  = diag.DefineFault("too-late", diag.RefusesRequest, "the question's time is over", "resume the run: its answer is `timeout`")
)

// Reply files a person's answer to a question of the run. The content of an
// acceptance must satisfy the question's schema.
func (r *Record) Reply(step string, a Answer, now time.Time) (*Intent, *diag.Fault) {
	in := r.Asked(step)
	if in == nil {
		f := diag.Faultf(CodeNotAsked, "the run %s has no open question", r.ID)
		if step != "" {
			f = diag.Faultf(CodeNotAsked, "step %q of the run %s has no open question", step, r.ID)
		}
		f.Hint = "runs show " + r.ID + " shows its state"
		return nil, f
	}
	if !in.Until.IsZero() && now.After(in.Until) && a.Action != "timeout" {
		return nil, diag.Faultf(CodeTooLate, "the question was open until %s", in.Until.UTC().Format(time.RFC3339)).
			WithHint("the run continues with the action timeout: runs resume " + r.ID)
	}
	switch a.Action {
	case "accept":
		if f := checkContent(in.Detail, a.Content); f != nil {
			return nil, f
		}
	case "decline", "cancel", "timeout":
		a.Content = nil
	default:
		return nil, diag.Faultf(diag.CodeBadArgument, "unknown action %q", a.Action).At("/action").WithHint("accept, decline or cancel")
	}
	in.Outcome, _ = json.Marshal(a)
	r.Resumed = append(r.Resumed, Resumption{At: now, After: NeedsAnswer, Decision: "answer", Step: in.Step})
	return in, nil
}

func checkContent(detail, content json.RawMessage) *diag.Fault {
	var q struct {
		Schema json.RawMessage `json:"schema"`
	}
	if len(content) == 0 {
		content = json.RawMessage("{}")
	}
	if !json.Valid(content) {
		f := diag.Faultf(diag.CodeBadArgument, "the content of an answer is not JSON")
		f.Path = "/content"
		return f
	}
	if json.Unmarshal(detail, &q) != nil || len(q.Schema) == 0 {
		return nil
	}
	if !strings.HasPrefix(strings.TrimSpace(string(content)), "{") {
		f := diag.Faultf(diag.CodeBadArgument, "the content of an answer is an object")
		f.Path, f.Want = "/content", q.Schema
		return f
	}
	found := schema.New(q.Schema).Check(content)
	if len(found) == 0 {
		return nil
	}
	f := schema.Fault(diag.CodeBadArgument, "the answer does not satisfy the question's schema", "/content", found)
	f.Want = q.Schema
	return f
}
