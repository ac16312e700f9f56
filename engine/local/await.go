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
func (r *runtime) Await(_ context.Context, q run.Question) (*run.Answer, error) {
	in := run.Intent{Key: q.Key, Kind: run.IntentAsk, At: time.Now()}
	in.Step, _, _ = cutLast(q.Key, "/")
	if r.past != nil && r.past.replay {
		return nil, notRecorded(in.Step)
	}
	earlier := r.past.intent(q.Key)
	switch {
	case earlier != nil && earlier.Outcome != nil:
		var a run.Answer
		if err := json.Unmarshal(earlier.Outcome, &a); err != nil {
			return nil, diag.Faultf("journal-failed", "the stored answer cannot be read: %w", err)
		}
		return &a, nil
	case earlier != nil && !earlier.Until.IsZero() && time.Now().After(earlier.Until):
		in = *earlier
		in.Outcome = json.RawMessage(`{"action":"timeout"}`)
		return &run.Answer{Action: "timeout"}, r.intend(in, true)
	case earlier == nil:
		if q.Timeout > 0 {
			in.Until = in.At.Add(q.Timeout)
		}
		in.Detail, _ = json.Marshal(struct {
			Message string          `json:"message"`
			Schema  json.RawMessage `json:"schema,omitempty"`
		}{q.Message, q.Schema})
		if err := r.intend(in, true); err != nil {
			return nil, err
		}
	}
	f := diag.Faultf(run.NeedsAnswer, "a person must answer: %s", q.Message)
	f.Node = q.Node
	f.Hint = fmt.Sprintf("a person answers with: patchbay runs answer %s (accept, decline or cancel); then the run continues from here", r.record.ID)
	return nil, f
}

func unknownOutcome(c *run.Call, in *run.Intent) *diag.Fault {
	f := diag.Faultf(run.OutcomeUnknown, "the run stopped during the call of %s/%s (%s), which may or may not have taken effect and is not known to be repeatable", c.Server, c.Tool, in.At.UTC().Format(time.RFC3339))
	f.Details = in.Called()
	f.Hint = "check whether it took effect, then resume_run with decision retry (call again), skip, or pin with its output; the step is " + in.Step
	return f
}

// diverged says that a call differs from the one that the run made at the same place.
func diverged(was run.Called, c run.Call) *diag.Fault {
	f := diag.Faultf(run.Diverged, "the run called %s/%s at %s, but would now call %s/%s there, or use other arguments", was.Server, was.Tool, was.Step, c.Server, c.Tool)
	f.Got, f.Want = json.RawMessage(diag.CutJSON(c.Args, 200)), json.RawMessage(diag.CutJSON(was.Arguments, 200))
	f.Details = was
	f.Hint = "no call was made; resume_run with decision retry and step " + was.Step + " makes the new call; skip or pin makes none, and replaces the output of the step"
	return f
}

// outcomeOf says why a call has no result, as it is stored.
type outcomeOf struct {
	Fault   *diag.Fault       `json:"fault,omitempty"`
	Content []json.RawMessage `json:"content,omitempty"`
	Data    json.RawMessage   `json:"structured,omitempty"`
	NotSent bool              `json:"notSent,omitempty"` // the run was stopped before the call left
}

func failed(res *run.Result, err error) (o outcomeOf) {
	if err != nil {
		_, o.Fault = outcome(err)
	} else {
		o.Content, o.Data = res.Content, res.Structured
	}
	return o
}

// result is the outcome as the call gave it.
func (o *outcomeOf) result() (*run.Result, error) {
	if o.Fault != nil {
		return nil, o.Fault
	}
	return &run.Result{IsError: true, Content: o.Content, Structured: o.Data}, nil
}
