package around

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/run"
)

// interceptor is in front of everything that makes the calls of a run or of a gateway: it
// runs the workflow that matches a call around it.
type interceptor struct {
	around *Around
	mode   string // of the run
	next   run.Caller
	hooks  run.Caller // executes scripts, also where next calls only some tools
}

var (
	codeNoCall      = diag.DefineFault("no-call", diag.FailsAttempt, "a workflow runs, and not around a call", "give the output of its `mcp-call` in pins")
	codeCalledTwice = diag.DefineFault("called-twice", diag.FailsAttempt, "a workflow would make its call again", "report it: the checker refuses such workflows")
)

// intercept returns a caller that runs the workflows around the calls of a run in front of next.
// Hooks executes scripts, also where next calls only some tools.
func (ar *Around) intercept(mode string, next, hooks run.Caller) run.Caller {
	return &interceptor{around: ar, mode: mode, next: next, hooks: hooks}
}

// CallTool implements [run.Caller].
func (i *interceptor) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	switch c.Server {
	case run.HTTPServer:
		return i.next.CallTool(ctx, c)
	case run.HookServer:
		return i.hooks.CallTool(ctx, c)
	case run.WorkflowServer:
		a := aroundFrom(ctx)
		if a == nil {
			f := diag.Faultf(codeNoCall, "there is no request around which the workflow runs")
			f.Hint = "it runs around the calls that match it; a test gives the output of its mcp-call in pins"
			return nil, &run.CallError{Outcome: run.CallNotSent, Err: f}
		}
		return a.forward(ctx, c)
	}
	set := i.around.workflows.Load()
	if set == nil || len(set.calls) == 0 {
		return i.next.CallTool(ctx, c)
	}
	var inside []*workflow
	if outer := aroundFrom(ctx); outer != nil {
		inside = outer.chain()
	}
	w := first(set.calls, c.Server, c.Tool, request.ClientName(ctx), inside)
	if w == nil {
		return i.next.CallTool(ctx, c)
	}
	a := &aroundCall{around: i.around, workflow: w, call: c, next: i.next, inside: append(slices.Clip(inside), w)}
	return a.run(ctx, i.mode)
}

type aroundKey struct{}

// aroundFrom returns the request around which the workflow runs whose run the context is
// of, or nil.
func aroundFrom(ctx context.Context) aroundRequest {
	a, _ := ctx.Value(aroundKey{}).(aroundRequest)
	return a
}

// An aroundRequest is a request around which a workflow runs.
type aroundRequest interface {
	// forward answers the call of the workflow.
	forward(ctx context.Context, c run.Call) (*run.Result, error)
	// chain are the workflows that run around the request, the innermost last.
	chain() []*workflow
}

// An aroundCall is one execution of a workflow around a call. The call is made at most
// once, whatever the workflow does.
type aroundCall struct {
	around   *Around
	workflow *workflow
	call     run.Call
	next     run.Caller
	inside   []*workflow // the workflows that run around this request, this one last

	mu     sync.Mutex
	params []byte      // of the request as the workflow gets it, as it encodes them
	sent   bool        // the call was made
	result *run.Result // what it has come to
	err    error
}

// run runs the workflow and returns the answer to the call.
func (a *aroundCall) run(ctx context.Context, mode string) (*run.Result, error) {
	began := time.Now()
	params, err := a.request()
	if err != nil {
		return nil, &run.CallError{Outcome: run.CallNotSent, Err: err}
	}
	e := a.around.execute(context.WithValue(ctx, aroundKey{}, a), a.workflow, params, engine.OnCall, mode, a.call.Server)
	res, err := a.answer(ctx, e)
	a.around.workflowEnded(a.outcome(e, res), time.Since(began))
	return res, err
}

// chain implements [around].
func (a *aroundCall) chain() []*workflow { return a.inside }

// request is the params of the request as the workflow gets them.
func (a *aroundCall) request() (json.RawMessage, error) {
	args := a.call.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	name, _ := json.Marshal(a.call.Tool)
	params := fmt.Appendf(nil, `{"name":%s,"arguments":%s}`, name, args)
	v, err := expr.Decode(params)
	if err != nil {
		return nil, diag.Faultf(downstream.CodeBadArguments, "the arguments are not JSON: %w", err)
	}
	if a.params, err = expr.Encode(v); err != nil {
		return nil, diag.Faultf(downstream.CodeBadArguments, "the arguments are not JSON: %w", err)
	}
	return params, nil
}

// forward makes the call with the params that the workflow has come to.
func (a *aroundCall) forward(ctx context.Context, c run.Call) (*run.Result, error) {
	a.mu.Lock()
	again := a.sent
	a.sent = true
	a.mu.Unlock()
	if again {
		return nil, &run.CallError{Outcome: run.CallNotSent, Err: diag.Faultf(codeCalledTwice, "the workflow %q has already made its call", a.workflow.name)}
	}
	call := a.call
	if !bytes.Equal(c.Args, a.params) {
		if fault := a.change(ctx, &call, c.Args); fault != nil {
			a.mu.Lock()
			a.sent = false
			a.mu.Unlock()
			return nil, &run.CallError{Outcome: run.CallNotSent, Err: fault}
		}
	}
	res, err := a.next.CallTool(ctx, call)
	a.mu.Lock()
	a.result, a.err = res, err
	a.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if res.AsksForInput() {
		return nil, &run.CallError{Outcome: run.CallRefused, Err: diag.Faultf(diag.CodeBadResult, "the server asks for input before it makes the call")}
	}
	return &run.Result{Structured: rawResult(res), Simulated: res.Simulated}, nil
}

// change gives the call the params that a hook has changed.
func (a *aroundCall) change(ctx context.Context, call *run.Call, params json.RawMessage) *diag.Fault {
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(params, &p); err != nil || p.Name == "" {
		return diag.Faultf(downstream.CodeBadArguments, "the params of the request do not name a tool")
	}
	if len(p.Arguments) == 0 {
		p.Arguments = json.RawMessage("{}")
	}
	if p.Arguments[0] != '{' {
		return diag.Faultf(downstream.CodeBadArguments, "the arguments of the request are not an object")
	}
	if p.Name != call.Tool && call.Repeatable {
		tool, fault := (&plans.ToolResolver{Plans: a.around.plans, Ctx: ctx, Known: true}).Tool(call.Server, p.Name)
		if fault != nil {
			return fault
		}
		if !tool.Spec.Annotations.MayRepeat() {
			return diag.Faultf(downstream.CodeBadArguments, "a call that may be repeated cannot become one of %s/%s, which may not", call.Server, p.Name)
		}
	}
	call.Tool, call.Args = p.Name, p.Arguments
	return nil
}

// rawResult is the result object of a call.
func rawResult(res *run.Result) json.RawMessage {
	if res.Raw != nil {
		return res.Raw
	}
	content := res.Content
	if content == nil {
		content = []json.RawMessage{}
	}
	b, _ := json.Marshal(struct { //nolint:errchkjson // its parts are JSON
		Content    []json.RawMessage `json:"content"`
		Structured json.RawMessage   `json:"structuredContent,omitempty"`
		IsError    bool              `json:"isError,omitempty"`
	}{content, res.Structured, res.IsError})
	return b
}

// answer is what the caller gets for what the workflow has come to.
func (a *aroundCall) answer(ctx context.Context, e *workflowRun) (*run.Result, error) {
	a.mu.Lock()
	sent, result, failed := a.sent, a.result, a.err
	a.mu.Unlock()
	switch {
	case e.fault == nil && sent && result != nil && same(e.result, e.response(a.around.plans.Kinds), result):
		return result, nil
	case e.fault == nil:
		raw, err := expr.Encode(e.result)
		if err == nil {
			var res *run.Result
			if res, err = run.ReadResult(raw); err == nil {
				return res, nil
			}
		}
		return a.refused(result != nil, engine.CodeScriptError+": the response of the workflow is not a tool result: "+err.Error()), nil
	case result != nil && result.AsksForInput():
		return result, nil
	case context.Cause(ctx) != nil && !sent:
		return nil, &run.CallError{Outcome: run.CallNotSent, Err: context.Cause(ctx)}
	case failed != nil:
		return nil, failed
	case context.Cause(ctx) != nil && result == nil:
		return nil, context.Cause(ctx)
	}
	text := fmt.Sprintf("%s: %s", e.fault.Code, e.fault.Message)
	if b := engine.HookBlock(e.fault); b != nil {
		text = b.String()
	} else if e.fault.Node != "" {
		text += fmt.Sprintf(" (node %s)", e.fault.Node)
	}
	return a.refused(result != nil, text), nil
}

// refused is the answer to a call that the workflow has stopped.
func (a *aroundCall) refused(called bool, text string) *run.Result {
	if called {
		text += "; the server was called, and its answer is withheld"
	}
	item, _ := json.Marshal(map[string]string{"type": "text", "text": text}) //nolint:errchkjson // of texts
	res := &run.Result{IsError: true, Content: []json.RawMessage{item}}
	res.Raw = rawResult(res)
	return res
}

// same reports whether a response is what the server has answered.
func same(response, answered expr.Value, result *run.Result) bool {
	if now, ok := response.(expr.Object); ok {
		if was, ok := answered.(expr.Object); ok && identical(now, was) {
			return true
		}
	}
	if answered == nil {
		answered, _ = expr.Decode(rawResult(result)) // it was read already
	}
	a, err := expr.Encode(response)
	if err != nil {
		return false
	}
	b, err := expr.Encode(answered)
	return err == nil && bytes.Equal(a, b)
}

// What comes of the calls of workflows.
const (
	workflowPassed  = "passed"
	workflowChanged = "changed"
	workflowBlocked = "blocked"
	workflowFailed  = "failed"
)

func (a *aroundCall) outcome(e *workflowRun, res *run.Result) string {
	switch {
	case e.fault != nil && e.fault.Code == engine.CodeHookBlocked:
		return workflowBlocked
	case e.fault != nil:
		return workflowFailed
	case res == a.result:
		return workflowPassed
	}
	return workflowChanged
}

// WorkflowMetrics count the requests around which workflows run.
type WorkflowMetrics interface {
	// Workflow is called when a workflow has answered a request; the outcome is passed,
	// changed, blocked or failed.
	Workflow(outcome string, d time.Duration)
}

// report lets metrics know of the requests around which workflows run, if they count those.
func (ar *Around) report(metrics any) {
	m, ok := metrics.(WorkflowMetrics)
	if !ok {
		return
	}
	ar.reporting.Lock()
	defer ar.reporting.Unlock()
	ar.reporters = append(ar.reporters, m)
}

// workflowEnded reports what a workflow has made of a request.
func (ar *Around) workflowEnded(outcome string, d time.Duration) {
	ar.reporting.Lock()
	reporters := ar.reporters
	ar.reporting.Unlock()
	for _, m := range reporters {
		m.Workflow(outcome, d)
	}
}
