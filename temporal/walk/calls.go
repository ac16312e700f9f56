package walk

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/patchbay-mcp/patchbay/engine/local"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/blobs"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// Calls are the activities of runs: they make the calls, and change state.
type Calls struct {
	// Caller returns what the calls of a run reach. The request names the run, and in
	// which mode.
	Caller func(ctx context.Context, r *wire.CallRequest) run.Caller
	// State keeps what graphs store for later runs. It makes a change with the run and the
	// intent key of an earlier one once, and returns its result again. Nil: state nodes
	// fail.
	// Again says that an earlier attempt may have made the change.
	State func(ctx context.Context, r *wire.StateRequest, again bool) (result json.RawMessage, err error)
	// Client reaches the workflows of the runs, for questions that servers ask during
	// calls. Nil: no person is asked.
	Client client.Client
	// Converter is that of the client; nil is the SDK's.
	Converter converter.DataConverter
	// Blobs keeps values that are too large for a history; nil keeps none.
	Blobs blobs.Store
}

// Call makes one call. An error, of an attempt that should be repeated, is only that the
// worker stops; what went wrong with the call is in the reply.
func (c *Calls) Call(ctx context.Context, r wire.CallRequest) (reply wire.CallReply, err error) {
	defer func() {
		if p := recover(); p != nil {
			f := diag.Faultf(diag.CodeInternalError, "internal error in Patchbay: %v", p)
			f.Err = fmt.Errorf("%v\n%s", p, debug.Stack())
			reply, err = wire.ReplyOf(nil, f), nil
		}
	}()
	stop := beat(ctx)
	defer stop()
	ask := &asker{calls: c, request: &r}
	call := r.Call()
	call.Ask = ask
	res, err := c.Caller(ctx, &r).CallTool(ctx, call)
	switch {
	case ask.open != nil && run.Parked(err):
		return wire.CallReply{Asks: ask.open}, nil
	case err != nil && missing(run.AsFault(err).Code) && run.OutcomeOf(err) == run.CallNotSent:
		reply = wire.ReplyOf(nil, err)
		reply.Waits = true
		return reply, nil
	case err != nil && r.Repeatable && ctx.Err() != nil && context.Cause(ctx) != nil && stopping(ctx):
		return wire.CallReply{}, err
	}
	return c.keepReply(ctx, &r, wire.ReplyOf(res, err)), nil
}

// missing reports whether a fault says that this worker does not have what a call needs,
// which another one may have.
func missing(code string) bool {
	return code == diag.CodeUnknownServer || code == diag.CodeServerStarting
}

// stopping reports whether the worker is being stopped.
func stopping(ctx context.Context) bool {
	select {
	case <-activity.GetWorkerStopChannel(ctx):
		return true
	default:
		return false
	}
}

// beat tells Temporal that the activity is alive, until stop is called.
func beat(ctx context.Context) (stop func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(Heartbeat / 4)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				activity.RecordHeartbeat(ctx)
			case <-done:
				return
			}
		}
	}()
	return func() { close(done) }
}

// ChangeState reads or changes state. An error is that of the store, and is tried again.
func (c *Calls) ChangeState(ctx context.Context, r wire.StateRequest) (wire.StateReply, error) {
	if c.State == nil {
		return wire.StateReply{Fault: wire.FaultOf(diag.Faultf(local.CodeNoState, "the workers have no store of state"))}, nil
	}
	result, err := c.State(ctx, &r, activity.GetInfo(ctx).Attempt > 1)
	if f, ok := err.(*diag.Fault); ok { //nolint:errorlint // a fault is the answer, what wraps one is a failure
		return wire.StateReply{Fault: wire.FaultOf(f)}, nil
	}
	reply := wire.StateReply{Result: result}
	if err != nil {
		return reply, err
	}
	if fault := c.keep(ctx, "the state of "+r.Intent.Step, reply); fault != nil {
		return wire.StateReply{Fault: wire.FaultOf(fault)}, nil
	}
	return reply, nil
}

// An asker puts the questions of a call to the run.
type asker struct {
	calls   *Calls
	request *wire.CallRequest
	open    *run.Question // to which the run has no answer yet
}

// Ask returns the answer that came with the request. Without one the call is not made, and
// the run asks.
func (a *asker) Ask(_ context.Context, _ run.Call, q run.Question) (*run.Answer, error) {
	if answer, known := a.request.Answers[askKey(&q)]; known {
		return &answer, nil
	}
	a.open = &q
	return nil, diag.Faultf(run.NeedsAnswer, "a person must answer: %s", q.Message)
}

// AskDuring implements [run.CallAsker] by an update of the run, which returns when a person
// has answered.
func (a *asker) AskDuring(ctx context.Context, _ run.Call, q run.Question) (*run.Answer, error) {
	if a.calls.Client == nil || a.request.Mode == run.DryRun {
		return nil, run.ErrNobodyAsked
	}
	handle, err := a.calls.Client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: a.request.Run, UpdateName: wire.UpdateAsk, WaitForStage: client.WorkflowUpdateStageCompleted,
		Args: []any{wire.Ask{Call: a.request.Key, Question: q}},
	})
	if err == nil {
		answer := &run.Answer{}
		if err = handle.Get(ctx, answer); err == nil {
			return answer, nil
		}
	}
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	return nil, run.ErrNobodyAsked
}
