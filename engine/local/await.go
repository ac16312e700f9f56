package local

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// Await returns the answer to a question, or parks the run: nothing waits in
// this process. Who resumes the run files the answer first.
//
// An answer does not hold if a saved graph that the run calls has changed since the question
// was asked: then it is asked anew. A question that waits stays as the person has seen it.
func (r *runtime) Await(ctx context.Context, q run.Question) (*run.Answer, error) {
	in := run.Intent{Key: q.Key, Step: q.Step, Kind: run.IntentAsk, At: r.Now()}
	if in.Step == "" {
		in.Step, _, _ = cutLast(q.Key, "/")
	}
	if r.past != nil && r.past.replay {
		return nil, notRecorded(in.Step)
	}
	earlier := r.past.intent(q.Key)
	q.Graphs = r.graphs()
	var changed []string
	if earlier != nil {
		changed = earlier.ChangedGraphs(q.Graphs)
	}
	if len(changed) > 0 && ctx.Err() != nil { // they may not have been found because of it
		return nil, context.Cause(ctx)
	}
	if len(changed) > 0 && earlier.Outcome != nil {
		q.Message = fmt.Sprintf("Saved graphs of this run that have changed since the last answer: %s. %s", diag.OneOf(changed, 12), q.Message)
		earlier, changed = nil, nil
	}
	switch {
	case earlier != nil && earlier.Outcome != nil:
		var a run.Answer
		if err := json.Unmarshal(earlier.Outcome, &a); err != nil {
			return nil, diag.Faultf(diag.CodeJournalFailed, "the stored answer cannot be read: %w", err)
		}
		return &a, nil
	case earlier != nil && !earlier.Until.IsZero() && r.Now().After(earlier.Until):
		in = *earlier
		in.Outcome = json.RawMessage(`{"action":"timeout"}`)
		return &run.Answer{Action: "timeout"}, r.intend(in, true)
	case len(changed) > 0 && earlier.Step != in.Step: // whoever answers has seen the other
		return nil, diag.Faultf(diag.CodeGraphChanged, "%s has a question that waits for a person, and saved graphs of the run have changed so that another step asks it: %s", earlier.Step, diag.OneOf(changed, 12)).
			WithHint("start a new run")
	case earlier == nil || earlier.Step != in.Step:
		if q.Timeout > 0 {
			in.Until = in.At.Add(q.Timeout)
		}
		in.Detail = run.DetailOf(q)
		if err := r.intend(in, true); err != nil {
			return nil, err
		}
	}
	return nil, r.needsAnswer(q)
}

// needsAnswer is the fault of a run that stops until a person has answered.
func (r *runtime) needsAnswer(q run.Question) *diag.Fault {
	f := diag.Faultf(run.NeedsAnswer, "a person must answer: %s", q.Message)
	f.Node = q.Node
	f.Hint = fmt.Sprintf("a person answers with: patchbay runs answer %s (accept, decline or cancel); then the run continues from here", r.record.ID)
	switch {
	case q.Permits != "":
		f.Hint = fmt.Sprintf(`a person types: patchbay runs answer %s accept; then the run continues, and get_run {"run_id": %[1]q} returns its result; resume_run only asks again`, r.record.ID)
	case q.Server != "":
		f.Hint += "; resume_run only asks again"
	}
	return f
}

// unknownOutcome asks for a decision about a call that must not simply be made again.
func unknownOutcome(c *run.Call, in *run.Intent) *diag.Fault {
	called, at := in.Called(), in.At.UTC().Format(time.RFC3339)
	f := &diag.Fault{
		Code: run.OutcomeUnknown, Details: called,
		Hint: "check whether it took effect; then " + resumeCall(in.Step) + " makes the call again, skip continues without its output, and pin with an output that you give",
	}
	switch named := c.Server + "/" + c.Tool; {
	case called.Completed:
		f.Message = fmt.Sprintf("the call of %s (%s) was completed, but its result cannot be used: %s", named, at, called.Failure)
		f.Hint = resumeCall(in.Step) + " makes the call again, skip continues without its output, and pin with an output that you give"
	case called.Failure != "":
		f.Message = fmt.Sprintf("the call of %s (%s) may or may not have taken effect and is not known to be repeatable: %s", named, at, called.Failure)
	default:
		f.Message = fmt.Sprintf("the run stopped during the call of %s (%s), which may or may not have taken effect and is not known to be repeatable", named, at)
	}
	f.Message = diag.Brief(f.Message)
	return f
}

// diverged says that a call differs from the one that the run made at the same place.
func diverged(was run.Called, c run.Call) *diag.Fault {
	f := diag.Faultf(run.Diverged, "the run called %s/%s at %s, but would now call %s/%s there, or use other arguments", was.Server, was.Tool, was.Step, c.Server, c.Tool)
	f.Got, f.Want = json.RawMessage(diag.CutJSON(c.Args, 200)), json.RawMessage(diag.CutJSON(was.Arguments, 200))
	f.Details = was
	f.Hint = "no call was made; " + resumeCall(was.Step) + " makes the new call; skip or pin makes none, and replaces the output of the step"
	return f
}

// outcomeOf says why a call had no effect, or what its result is, as it is stored.
type outcomeOf struct {
	Fault   *diag.Fault       `json:"fault,omitempty"`
	Content []json.RawMessage `json:"content,omitempty"`
	Data    json.RawMessage   `json:"structured,omitempty"`
	NotSent bool              `json:"notSent,omitempty"` // the run was stopped before the call left
	Done    bool              `json:"done,omitempty"`    // it had an effect, and its result has not been read
	Asked   *asked            `json:"asked,omitempty"`   // its server asks for something before it makes the call
}

func failed(res *run.Result, err error) (o outcomeOf) {
	if err != nil {
		_, o.Fault = outcome(err)
	} else {
		o.Content, o.Data = res.Content, res.Structured
	}
	return o
}

// json writes the outcome. What the server sent is JSON already, and is not read again:
// it may be large, and the run late.
func (o outcomeOf) json() json.RawMessage {
	content, data := o.Content, o.Data
	o.Content, o.Data = nil, nil
	b, _ := json.Marshal(o) // of texts
	size := len(b) + len(data) + 40
	for _, item := range content {
		size += len(item) + 1
	}
	b = append(make([]byte, 0, size), b[:len(b)-1]...)
	member := func(name string) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, `"`+name+`":`...)
	}
	if len(content) > 0 {
		member("content")
		for i, item := range content {
			b = append(append(b, "[,"[min(i, 1)]), item...)
		}
		b = append(b, ']')
	}
	if len(data) > 0 {
		member("structured")
		b = append(b, data...)
	}
	return append(b, '}')
}

// result is the outcome as the call gave it.
func (o *outcomeOf) result() (*run.Result, error) {
	if o.Fault != nil {
		return nil, o.Fault
	}
	return &run.Result{IsError: !o.Done, Content: o.Content, Structured: o.Data}, nil
}

// resumeCall is the call that resumes a run at a step.
func resumeCall(step string) string {
	return fmt.Sprintf("resume_run {\"decision\": \"retry\", \"step\": %q}", step)
}
