package app

import (
	"context"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/runs"
	"github.com/patchbay-mcp/patchbay/run"
)

// A Client is who waits for a run.
type Client = runs.Client

// A Disconnect says what happens to a run when the session of its client ends.
type Disconnect = runs.Disconnect

type clientKey struct{}

// WithClient says who waits for the runs that operations start or resume. A run that
// takes longer than the client waits continues, and the result has the status running.
// Without a client, an operation returns when the run has stopped.
func WithClient(ctx context.Context, c Client) context.Context {
	return context.WithValue(ctx, clientKey{}, c)
}

// client is who waits for a run. The events are heard by onEvent, or if it is nil by
// the listener.
func client(ctx context.Context, onEvent func(run.Event)) Client {
	c, _ := ctx.Value(clientKey{}).(Client)
	if c.OnEvent = onEvent; onEvent == nil {
		c.OnEvent = listener(ctx).OnEvent
	}
	return c
}

// nextStep says what can be done about a run that continues after the reply, or that
// needs a decision.
func nextStep(rec *run.Record) string {
	if rec.Status == run.Running {
		return fmt.Sprintf(`the run continues; get_run {"run_id": %q} returns its result when it has stopped, cancel_run cancels it`, rec.ID)
	}
	return decisionNeeded(rec)
}

// decisionNeeded says how a run can be resumed that made calls which only a decision
// repeats.
func decisionNeeded(rec *run.Record) string {
	calls := unknownCalls(rec)
	if len(calls) == 0 || rec.Fault != nil && rec.Fault.Code == run.OutcomeUnknown { // of which the fault says more
		return ""
	}
	steps := make([]string, len(calls))
	for i, c := range calls {
		steps[i] = c.Step
	}
	return fmt.Sprintf("the call of %s is made again only by resume_run {\"decision\": \"retry\", \"step\": \"STEP\"} with that step, not by a retry without a step; skip or pin continues without it", diag.OneOf(steps, 12))
}
