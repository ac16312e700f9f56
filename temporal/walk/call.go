package walk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// longestCall bounds one attempt at a call, which the limits of the run end before.
const longestCall = 30 * 24 * time.Hour

// How long a run waits before it looks again for a worker that has the server of a call.
const (
	firstLook = time.Second
	lastLook  = time.Minute
)

// A calling is a call in progress.
type calling struct {
	ctx     context.Context //nolint:containedctx // of the call, for questions that its server asks
	call    run.Call
	asks    int    // questions with which the call waits
	waiting string // for what the call waits, or has waited; "" for its reply
}

// CallTool implements [run.Caller] by an activity.
func (s *session) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	progress := &calling{ctx: ctx, call: c}
	s.calls[c.Key] = progress
	defer func() {
		cancel(run.Ended())
		s.world.wait(context.WithoutCancel(ctx), func() bool { return progress.asks == 0 })
		delete(s.calls, c.Key)
		if progress.waiting != "" {
			s.tell(s.world.root)
		}
	}()
	request := wire.RequestOf(s.rec, c)
	for look := firstLook; ; {
		reply, err := s.callOnce(ctx, &request)
		switch {
		case err != nil:
			return nil, err
		case reply.Asks != nil:
			answer, err := c.Ask.Ask(ctx, c, *reply.Asks)
			if err != nil {
				return nil, &run.CallError{Outcome: run.CallNotSent, Err: err}
			}
			if request.Answers == nil {
				request.Answers = map[string]run.Answer{}
			}
			request.Answers[askKey(reply.Asks)] = *answer
		case reply.Waits:
			if progress.waiting == "" {
				progress.waiting = fmt.Sprintf("%s waits for a worker that has %s/%s: %s", c.Key, c.Server, c.Tool, reply.Fault.Diag().Message)
				s.tell(s.world.root)
			}
			if err := s.world.Sleep(ctx, look); err != nil {
				return nil, &run.CallError{Outcome: run.CallNotSent, Err: err}
			}
			look = min(2*look, lastLook)
		default:
			return reply.Return()
		}
	}
}

// callOnce has a worker make a call. A call that must not be repeated is given to one
// worker, once: if that is lost, the run parks as after the end of its process.
func (s *session) callOnce(ctx context.Context, request *wire.CallRequest) (*wire.CallReply, error) {
	retry := &temporal.RetryPolicy{InitialInterval: 500 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: time.Minute}
	if !request.Repeatable {
		retry.MaximumAttempts = 1
	}
	var reply wire.CallReply
	err := s.activity(ctx, wire.Call, "the arguments of "+request.Key, request, retry, &reply)
	fault, refused := err.(*diag.Fault) //nolint:errorlint // what wraps one is a failure of an activity
	switch {
	case err == nil:
		return &reply, nil
	case refused:
		return nil, &run.CallError{Outcome: run.CallNotSent, Err: fault}
	case context.Cause(ctx) != nil:
		return nil, context.Cause(ctx)
	case request.Repeatable:
		return nil, diag.Faultf(diag.CodeCallFailed, "no worker could make the call of %s/%s: %w", request.Server, request.Tool, err)
	}
	s.lost = true
	return nil, diag.Faultf(run.ShuttingDown, "the worker was lost that made the call of %s/%s", request.Server, request.Tool)
}

// activity executes an activity on the queue of calls. The end of ctx cancels it, and is
// not waited for any longer than the activity takes to end. A fault says that the request,
// which what describes, cannot be sent.
func (s *session) activity(ctx context.Context, name, what string, request any, retry *temporal.RetryPolicy, reply any) error {
	size, fault := s.keep(ctx, what, request)
	if fault != nil {
		return fault
	}
	s.world.send(ctx, size)
	defer s.world.received()
	if context.Cause(ctx) != nil {
		return context.Cause(ctx)
	}
	s.world.acts += eventsOfCall
	c, cancel := workflow.WithCancel(workflow.WithActivityOptions(coroutine(ctx), workflow.ActivityOptions{
		TaskQueue: s.queue(), StartToCloseTimeout: longestCall, HeartbeatTimeout: Heartbeat, WaitForCancellation: true, RetryPolicy: retry,
	}))
	future := workflow.ExecuteActivity(c, name, request)
	if !s.world.wait(ctx, future.IsReady) {
		cancel()
		s.world.wait(context.WithoutCancel(ctx), future.IsReady)
	}
	s.world.done++
	return future.Get(coroutine(ctx), reply)
}

func (s *session) queue() string {
	if s.in.Queue == "" {
		return wire.CallQueue(workflow.GetInfo(s.world.root).TaskQueueName)
	}
	return wire.CallQueue(s.in.Queue)
}

// changeState reads or changes state by an activity, which is repeated until it is done:
// the store makes a change once.
func (s *session) changeState(ctx context.Context, in run.Intent, c run.StateChange, dry bool) (json.RawMessage, error) {
	var reply wire.StateReply
	request := wire.StateRequest{Run: s.rec.ID, Intent: in, Change: c, Dry: dry}
	err := s.activity(ctx, wire.State, "the state of "+in.Step, request, &temporal.RetryPolicy{InitialInterval: 200 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: time.Minute}, &reply)
	switch {
	case err != nil && context.Cause(ctx) != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case reply.Fault.Diag() != nil:
		return nil, reply.Fault.Fault
	}
	return reply.Result, nil
}

// askKey names a question among those that are put before one call.
func askKey(q *run.Question) string {
	if q.Permits != "" {
		return "permit/" + q.Permits
	}
	return q.Key
}

// waiting says for what calls wait.
func (s *session) waiting() (lines []string) {
	for _, key := range slices.Sorted(maps.Keys(s.calls)) {
		if line := s.calls[key].waiting; line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// Hold implements [local.Holder]: the call waits, and so does nothing else.
func (s *session) Hold(ctx context.Context, in run.Intent, file func() error) (*run.Answer, error) {
	if err := file(); err != nil {
		return nil, err
	}
	defer pause(ctx)()
	held := &heldQuestion{}
	s.held[in.Key] = held
	defer delete(s.held, in.Key)
	timed, stop := workflow.WithCancel(coroutine(ctx))
	defer stop()
	timer := workflow.NewTimer(timed, max(in.Until.Sub(s.world.Now()), time.Millisecond))
	s.world.wait(ctx, func() bool { return held.answer != nil || timer.IsReady() })
	switch {
	case held.answer != nil:
		return held.answer, nil
	case timer.IsReady():
		return &run.Answer{Action: "timeout"}, nil
	}
	return nil, context.Cause(ctx)
}

// A heldQuestion is one with which a call waits.
type heldQuestion struct{ answer *run.Answer }

// askDuring puts a question of a call in progress: it is the handler of an update.
func (s *session) askDuring(c workflow.Context, ask wire.Ask) (run.Answer, error) {
	progress := s.calls[ask.Call]
	if progress == nil {
		return run.Answer{}, wire.Refusal(wire.FaultOf(diag.Faultf(diag.CodeNotRunning, "the run makes no call %s", ask.Call)))
	}
	asker, can := progress.call.Ask.(run.CallAsker)
	if !can {
		return run.Answer{}, wire.Refusal(wire.FaultOf(diag.Faultf(runs.CodeNobodyAsked, "no person can be asked")))
	}
	progress.asks++
	defer func() { progress.asks-- }()
	answer, err := asker.AskDuring(on(progress.ctx, c), progress.call, ask.Question)
	switch {
	case errors.Is(err, run.ErrNobodyAsked):
		return run.Answer{}, wire.Refusal(wire.FaultOf(diag.Faultf(runs.CodeNobodyAsked, "no person can be asked")))
	case err != nil:
		return run.Answer{}, wire.Refusal(wire.FaultOf(run.AsFault(err)))
	}
	return *answer, nil
}
