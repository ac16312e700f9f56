package app

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
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
func (a *App) execute(ctx context.Context, w *workflow, params json.RawMessage, method, mode, server string) *workflowRun {
	arguments := workflowContext(ctx, w, params, method, server, time.Now())
	o := a.starts(ctx, runs.Client{Peer: client(ctx, nil).Peer, Within: true})
	o.Mode, o.Limits, o.Around = mode, a.authoring.limits, true
	if !w.plan.Detaches() {
		rec, fault := a.execution.runs.Start(ctx, w.plan, arguments, o)
		return a.ended(ctx, w, rec, fault)
	}
	return a.executeDetached(ctx, w, arguments, o)
}

// executeDetached returns when the workflow has come to its result.
func (a *App) executeDetached(ctx context.Context, w *workflow, arguments json.RawMessage, o runs.StartOptions) *workflowRun {
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
		rec, fault := a.execution.runs.Start(own, w.plan, arguments, o)
		come <- a.ended(own, w, rec, fault)
	}()
	return <-come
}

// ended is what a run of a workflow has come to that has stopped.
func (a *App) ended(ctx context.Context, w *workflow, rec *run.Record, fault *diag.Fault) *workflowRun {
	if fault == nil && rec.Status == run.Interrupted {
		rec, fault = a.converse(ctx, w, rec)
	}
	switch {
	case fault != nil:
		return &workflowRun{fault: fault}
	case rec.Status == run.Succeeded:
		return &workflowRun{result: rec.Result, record: rec}
	case rec.Status == run.Interrupted:
		return &workflowRun{fault: a.unanswered(ctx, rec), record: rec}
	}
	return &workflowRun{fault: rec.Fault, record: rec}
}

// An Asker puts a question of a run to the person at a client.
type Asker func(ctx context.Context, ask Ask) (*run.Answer, error)

type askerKey struct{}

// WithAsker says who answers the questions of the workflows around the calls of a request.
func WithAsker(ctx context.Context, f Asker) context.Context {
	return context.WithValue(ctx, askerKey{}, f)
}

// maxQuestions is how many questions a workflow may ask around one request.
const maxQuestions = 100

// converse asks what a run of a workflow wants to know, and resumes it with the answers.
func (a *App) converse(ctx context.Context, w *workflow, rec *run.Record) (*run.Record, *diag.Fault) {
	asker, _ := ctx.Value(askerKey{}).(Asker)
	for range maxQuestions {
		open := asks(rec)
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
		if rec, fault = a.execution.runs.Resume(ctx, w.plan, rec, runs.Client{Peer: client(ctx, nil).Peer, Within: true}); fault != nil {
			return nil, fault
		}
	}
	return rec, nil
}

// unanswered cancels a run that waits for a person, since its caller has left, and returns
// why the request is refused.
func (a *App) unanswered(ctx context.Context, rec *run.Record) *diag.Fault {
	f := *rec.Fault
	if f.Code != run.NeedsAnswer {
		return &f
	}
	why := diag.Faultf(diag.CodeCancelled, "the call has ended for which a person was asked")
	_, _ = a.execution.runs.Cancel(context.WithoutCancel(ctx), run.Actor{Operator: true}, rec.ID, why)
	f.Message = "a person must agree, and the client cannot ask one: " + f.Message
	return &f
}

// workflowContext is the context with which a workflow starts.
func workflowContext(ctx context.Context, w *workflow, params json.RawMessage, method, server string, now time.Time) json.RawMessage {
	metadata := map[string]any{"clientId": clientID(ctx), "workflowId": w.name, "startedAt": now.UTC().Format(time.RFC3339Nano), "shared": map[string]any{}}
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

// clientID tells workflows who makes a request, as [WithClientID] says.
func clientID(ctx context.Context) string {
	id, _ := ClientID(ctx)
	return id
}
