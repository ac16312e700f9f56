package around

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// A workflowRun is what a workflow has come to around a request.
type workflowRun struct {
	result expr.Value
	fault  *diag.Fault // instead of the result
	record *run.Record // nil while detached branches continue
}

// execute runs a workflow around a request. Its run is one of its own in the store. Like
// the request, it ends when ctx does; but detached branches continue after
// the workflow has come to its result.
func (ar *Around) execute(ctx context.Context, w *workflow, params json.RawMessage, method, mode, server string) *workflowRun {
	arguments := workflowContext(ctx, w, params, method, server, time.Now())
	o := ar.execution.Starts(ctx, runs.Client{Peer: request.ClientFrom(ctx, nil).Peer, Within: true})
	o.Mode, o.Limits, o.Around = mode, ar.plans.Limits, true
	if !w.plan.Detaches() {
		rec, fault := ar.execution.Runner.Start(ctx, w.plan, arguments, o)
		return ar.ended(ctx, w, rec, fault)
	}
	return ar.executeDetached(ctx, w, arguments, o)
}

// executeDetached returns when the workflow has come to its result.
func (ar *Around) executeDetached(ctx context.Context, w *workflow, arguments json.RawMessage, o runs.StartOptions) *workflowRun {
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	come := make(chan *workflowRun, 2)
	o.OnResult = func(v expr.Value, err error) {
		switch {
		case err == nil:
			come <- &workflowRun{result: v}
		case run.Parked(err):
			return // it may have a question
		default:
			come <- &workflowRun{fault: run.AsFault(err)}
		}
		stop()
	}
	go func() {
		defer cancel(nil)
		rec, fault := ar.execution.Runner.Start(own, w.plan, arguments, o)
		come <- ar.ended(own, w, rec, fault)
	}()
	return <-come
}

// ended is what a run of a workflow has come to that has stopped.
func (ar *Around) ended(ctx context.Context, w *workflow, rec *run.Record, fault *diag.Fault) *workflowRun {
	if fault == nil && rec.Status == run.Interrupted {
		rec, fault = ar.converse(ctx, w, rec)
	}
	switch {
	case fault != nil:
		return &workflowRun{fault: fault}
	case rec.Status == run.Succeeded:
		return &workflowRun{result: rec.Result, record: rec}
	case rec.Status == run.Interrupted:
		return &workflowRun{fault: ar.unanswered(ctx, rec), record: rec}
	}
	return &workflowRun{fault: rec.Fault, record: rec}
}

// maxQuestions is how many questions a workflow may ask around one request.
const maxQuestions = 100

// converse asks what a run of a workflow wants to know, and resumes it with the answers.
func (ar *Around) converse(ctx context.Context, w *workflow, rec *run.Record) (*run.Record, *diag.Fault) {
	asker := execution.AskerFrom(ctx)
	for range maxQuestions {
		open := execution.Asks(rec)
		if asker == nil || len(open) == 0 {
			break
		}
		answer, err := asker(ctx, open[0])
		if err != nil {
			break // the client cannot after all
		}
		if _, fault := rec.Reply(open[0].Step, *answer, time.Now()); fault != nil {
			return nil, fault
		}
		var fault *diag.Fault
		if rec, fault = ar.execution.Runner.Resume(ctx, w.plan, rec, runs.Client{Peer: request.ClientFrom(ctx, nil).Peer, Within: true}); fault != nil {
			return nil, fault
		}
	}
	return rec, nil
}

// unanswered cancels a run that waits for a person, since its caller has left, and returns
// why the request is refused.
func (ar *Around) unanswered(ctx context.Context, rec *run.Record) *diag.Fault {
	f := *rec.Fault
	if f.Code != run.NeedsAnswer {
		return &f
	}
	why := diag.Faultf(diag.CodeCancelled, "the call has ended for which a person was asked")
	_, _ = ar.execution.Runner.Cancel(context.WithoutCancel(ctx), run.Actor{Operator: true}, rec.ID, why)
	f.Message = "a person must agree, and the client cannot ask one: " + f.Message
	return &f
}

// workflowContext is the context with which a workflow starts.
func workflowContext(ctx context.Context, w *workflow, params json.RawMessage, method, server string, now time.Time) json.RawMessage {
	metadata := map[string]any{"clientId": request.ClientName(ctx), "workflowId": w.name, "startedAt": now.UTC().Format(time.RFC3339Nano), "shared": map[string]any{}}
	if server != "" {
		metadata["serverName"] = server
	}
	b, _ := json.Marshal(metadata) //nolint:errchkjson // of texts
	return fmt.Appendf(nil, `{"request":{"method":%q,"params":%s},"metadata":%s}`, method, params, b)
}

// response is what the workflow had of the result of its call; nil if that is not known.
func (e *workflowRun) response(kinds *engine.KindSet) expr.Value {
	if e.record == nil {
		return nil
	}
	for i := range e.record.Steps {
		if s := e.record.Steps[i]; kinds.Forwards(s.Type) {
			if c, ok := s.Output.(expr.Object); ok {
				v, _ := c.Get("response")
				return v
			}
		}
	}
	return nil
}

// identical reports whether two objects are one.
func identical(a, b expr.Object) bool {
	x := reflect.TypeOf(a)
	return x == reflect.TypeOf(b) && x.Comparable() && a == b
}
