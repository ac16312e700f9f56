package engine_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
)

// aroundCalls makes the call of a workflow and executes scripts by their names.
type aroundCalls struct {
	mu      sync.Mutex
	calls   []string
	scripts map[string]string // results by script
}

func (a *aroundCalls) CallTool(_ context.Context, c run.Call) (*run.Result, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.Server == run.HookServer {
		var in struct{ Script string }
		_ = json.Unmarshal(c.Args, &in)
		text := a.scripts[in.Script]
		return &run.Result{Structured: json.RawMessage(text), IsError: strings.Contains(text, `"code"`) && !strings.Contains(text, "returned")}, nil
	}
	a.calls = append(a.calls, c.Server+c.Tool+" "+string(c.Args))
	return &run.Result{Structured: json.RawMessage(`{"content":[{"type":"text","text":"mail a@b.example now"}]}`)}, nil
}

const workflowInput = `{"request":{"method":"tools/call","params":{"name":"read","arguments":{"path":"a"}}},"metadata":{"clientId":"editor","serverName":"files","workflowId":"w","startedAt":"2026-01-01T00:00:00Z","shared":{}}}`

// around runs a workflow of some nodes between start and end.
func around(t *testing.T, caller run.Caller, nodes string) *run.Record {
	t.Helper()
	doc, _ := graph.Parse("w.yaml", "name: w\nworkflow: {on: tools/call}\nnodes:\n"+nodes+"  - {id: end, type: end}\n")
	plan, found := engine.Compile(doc, "", engine.Env{})
	if plan == nil {
		t.Fatal(diag.Format("w.yaml", doc.Src, found))
	}
	return local.Run(t.Context(), plan, caller, json.RawMessage(workflowInput), local.Options{})
}

func resultOf(t *testing.T, rec *run.Record) string {
	t.Helper()
	if rec.Fault != nil {
		return rec.Fault.Code + ": " + rec.Fault.Message
	}
	b, err := expr.Encode(rec.Result)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWorkflowHooks(t *testing.T) {
	const passed = `{"content":[{"type":"text","text":"mail a@b.example now"}]}`
	for _, c := range []struct {
		name, hook, script string
		after              bool
		want, call         string
	}{
		{name: "nothing", hook: `{expr: '$context.metadata.shared.nothing'}`, want: passed, call: `{"name":"read","arguments":{"path":"a"}}`},
		{name: "goes on", hook: `{expr: '{"continue": true}'}`, want: passed, call: `{"name":"read","arguments":{"path":"a"}}`},
		{name: "changed request", hook: `{expr: '{"request": {"params": $merge([$context.request.params, {"arguments": {"path": "b"}}])}}'}`, want: passed, call: `{"name":"read","arguments":{"path":"b"}}`},
		{name: "blocked", hook: `{expr: '{"continue": false, "error": {"code": "NO", "message": "not " & $context.metadata.nodeId}}'}`, want: "hook-blocked: NO: not h (hook h)"},
		{name: "blocked without words", hook: `{expr: '{"continue": false}'}`, want: "hook-blocked: BLOCKED: the hook has stopped the call (hook h)"},
		{name: "failed", hook: `{expr: '$error("no")'}`, want: "hook-failed: SCRIPT_ERROR: the expression at line 7, column 19 failed: no (hook h)"},
		{name: "another method", hook: `{expr: '{"request": {"method": "tools/list", "params": {}}}'}`, want: "hook-failed: SCRIPT_ERROR: a hook must not change the method of the request (hook h)"},
		{name: "another server", hook: `{expr: '$merge([$context, {"metadata": {"serverName": "x"}}])'}`, want: "hook-failed: SCRIPT_ERROR: a hook must not change the server of the request (hook h)"},
		{name: "not an object", hook: `{expr: '1'}`, want: "hook-failed: SCRIPT_ERROR: the hook has not returned an object or nothing (hook h)"},
		{name: "other object", hook: `{expr: '{"a": 1}'}`, want: "hook-failed: SCRIPT_ERROR: the hook has returned an object without request, response or continue (hook h)"},
		{name: "redacted", after: true, hook: `{expr: '{"response": {"content": [$context.response.content.{"type": type, "text": $replace(text, /[a-z]+@[a-z.]+/, "***")}]}}'}`, want: `{"content":[{"type":"text","text":"mail *** now"}]}`, call: `{"name":"read","arguments":{"path":"a"}}`},
		{name: "withheld", after: true, hook: `{expr: '{"continue": false, "error": {"code": "SECRET", "message": "withheld"}}'}`, want: "hook-blocked: SECRET: withheld (hook h)", call: `{"name":"read","arguments":{"path":"a"}}`},
		{name: "script", hook: `{script: s}`, script: `{"returned":{"context":{"request":{"method":"tools/call","params":{"name":"read","arguments":{}}}}},"context":{}}`, want: passed, call: `{"name":"read","arguments":{}}`},
		{name: "script that throws", hook: `{script: s}`, script: `{"code":"SCRIPT_ERROR","message":"x is not defined at 1:1"}`, want: "hook-failed: SCRIPT_ERROR: x is not defined at 1:1 (hook h)"},
		{name: "script without a result", hook: `{script: s}`, script: `{"context":{}}`, want: passed, call: `{"name":"read","arguments":{"path":"a"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			nodes := "  - {id: start, type: start, next: h}\n  - id: h\n    type: hook\n    hook: " + c.hook + "\n    next: call\n  - {id: call, type: mcp-call, next: end}\n"
			if c.after {
				nodes = "  - {id: start, type: start, next: call}\n  - {id: call, type: mcp-call, next: h}\n  - id: h\n    type: hook\n    hook: " + c.hook + "\n    next: end\n"
			}
			caller := &aroundCalls{scripts: map[string]string{"s": c.script}}
			if got := resultOf(t, around(t, caller, nodes)); got != c.want {
				t.Errorf("result %s, want %s", got, c.want)
			}
			want := ""
			if c.call != "" {
				want = "workflow:tools/call " + c.call
			}
			if got := strings.Join(caller.calls, "\n"); got != want {
				t.Errorf("calls %s, want %s", got, want)
			}
		})
	}
}

// TestWorkflowExpressions has nodes of other types read the newest context.
func TestWorkflowExpressions(t *testing.T) {
	caller := &aroundCalls{}
	rec := around(t, caller, `  - {id: start, type: start, next: add}
  - {id: add, type: hook, hook: {expr: '{"request": {"params": {"name": "read", "arguments": {"path": "b"}}}}'}, next: which}
  - {id: which, type: switch, conditions: [{rule: {"==": [{var: $context.request.params.arguments.path}, b]}, next: call}], next: answer}
  - {id: answer, type: hook, hook: {expr: '{"response": {"content": []}}'}, next: joined}
  - {id: call, type: mcp-call, next: joined}
  - {id: joined, type: transform, transform: {expr: '$context.response.content[0].text'}, next: end}
`)
	if got := resultOf(t, rec); !strings.Contains(got, "mail") || len(caller.calls) != 1 {
		t.Errorf("%s after %d calls", got, len(caller.calls))
	}
	if got := rec.Steps[4].Output; got != "mail a@b.example now" {
		t.Errorf("the transform has %v", got)
	}
}

// TestWorkflowWithoutResponse ends without the call and without another answer.
func TestWorkflowWithoutResponse(t *testing.T) {
	rec := around(t, &aroundCalls{}, `  - {id: start, type: start, next: which}
  - {id: which, type: switch, conditions: [{rule: {"==": [1, 2]}, next: call}], next: joined}
  - {id: call, type: mcp-call, next: joined}
  - {id: joined, type: transform, transform: {expr: 'true'}, next: end}
`)
	if rec.Fault == nil || rec.Fault.Code != "no-response" {
		t.Errorf("fault %v", rec.Fault)
	}
}

// TestWorkflowDetached has the result before a branch ends that nobody waits for, and
// the branch see the output of the node before it.
func TestWorkflowDetached(t *testing.T) {
	doc, _ := graph.Parse("w.yaml", `name: w
workflow: {on: tools/call}
nodes:
  - {id: start, type: start, next: call, detach: [first]}
  - {id: first, type: hook, blocking: false, hook: {script: slow}}
  - {id: call, type: mcp-call, next: end, detach: [after]}
  - {id: after, type: transform, transform: {expr: '$context.response.content[0].text'}, next: log}
  - {id: log, type: hook, blocking: false, hook: {script: log}}
  - {id: end, type: end}
`)
	plan, found := engine.Compile(doc, "", engine.Env{})
	if plan == nil {
		t.Fatal(diag.Format("w.yaml", doc.Src, found))
	}
	answered := make(chan struct{})
	caller := &waitingScripts{aroundCalls{}, answered}
	o := local.Options{}
	var result expr.Value
	o.OnResult = func(v expr.Value, _ error) { result = v; close(answered) }
	rec := local.Run(t.Context(), plan, caller, json.RawMessage(workflowInput), o)
	if result == nil || rec.Status != run.Succeeded {
		t.Fatalf("%s %v", rec.Status, rec.Fault)
	}
	steps := map[string]*run.StepRecord{}
	for _, s := range rec.Steps {
		steps[s.Key] = s
	}
	if s := steps["call#0~after/after#0"]; s.Output != "mail a@b.example now" {
		t.Errorf("after has %v of %v", s.Output, rec.Steps)
	}
	if s := steps["start#0~first/first#0"]; s.Ended == 0 || s.Fault != nil {
		t.Errorf("first is %+v", s)
	}
	again := local.Replay(t.Context(), plan, rec)
	if d := local.Compare(rec, again); len(d) > 0 {
		t.Errorf("the replay differs: %v", d)
	}
	scope := rec.ScopeAt(steps["call#0~after/after#0"].Index, expr.Limits{})
	if v, _ := scope.Context().(expr.Object).Get("call"); v == nil {
		t.Error("a detached branch does not see the output of the node that it begins after")
	}
}

// waitingScripts executes scripts once the call is answered.
type waitingScripts struct {
	aroundCalls
	answered chan struct{}
}

func (w *waitingScripts) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	if c.Server == run.HookServer {
		<-w.answered
		return &run.Result{Structured: json.RawMessage(`{"context":{}}`)}, nil
	}
	return w.aroundCalls.CallTool(ctx, c)
}

// TestWorkflowBranchesAreBounded leaves out a branch for which there is no place.
func TestWorkflowBranchesAreBounded(t *testing.T) {
	doc, _ := graph.Parse("w.yaml", `name: w
workflow: {on: tools/call}
nodes:
  - {id: start, type: start, next: call, detach: [log]}
  - {id: log, type: hook, blocking: false, hook: {script: log}}
  - {id: call, type: mcp-call, next: end}
  - {id: end, type: end}
`)
	plan, _ := engine.Compile(doc, "", engine.Env{})
	o := local.Options{Beside: make(chan struct{}, 1)}
	var left []string
	o.Observer.DetachedFault = func(key string, f *diag.Fault) { left = append(left, key+" "+f.Code) }
	o.Beside <- struct{}{}
	rec := local.Run(t.Context(), plan, &aroundCalls{}, json.RawMessage(workflowInput), o)
	if rec.Status != run.Succeeded || len(left) != 1 || left[0] != "start#0~log too-many-beside" {
		t.Errorf("%s, left out %v", rec.Status, left)
	}
	<-o.Beside
	if rec := local.Run(t.Context(), plan, &aroundCalls{scripts: map[string]string{"log": "{}"}}, json.RawMessage(workflowInput), o); rec.Status != run.Succeeded || len(left) != 1 || len(o.Beside) != 0 {
		t.Errorf("%s, left out %v", rec.Status, left)
	}
}

// TestEndHasOneInput: a hook that is waited for never becomes a branch that is not, and
// nothing follows an end.
func TestEndHasOneInput(t *testing.T) {
	for _, test := range []struct{ call, h, end, code, says string }{
		{"next: e, detach: [h]", "next: e", "", "second-way-to-end", `the blocking hook "h" is in the detached branch "h", which leads on to "e"`},
		{"next: [e, h]", "next: e", "", "several-next", "next names 2 nodes"},
		{"next: h", "next: e", ", next: h", "end-inputs", `an edge leads out of "e"`},
		{"next: h", "next: e", "", "", ""},
	} {
		doc, _ := graph.Parse("w.yaml", "name: w\nworkflow: {on: tools/call}\nnodes:\n  - {id: s, type: start, next: m}\n  - {id: m, type: mcp-call, "+test.call+
			"}\n  - {id: h, type: hook, hook: {script: x}, "+test.h+"}\n  - {id: e, type: end"+test.end+"}\n")
		_, found := engine.Compile(doc, "", engine.Env{})
		if found = found.With(diag.Error); test.code == "" && len(found) == 0 {
			continue
		}
		if len(found) != 1 || found[0].Code != test.code || !strings.Contains(found[0].Message, test.says) {
			t.Errorf("%s, %s, %s: %v", test.call, test.h, test.end, found)
		} else if test.code == "several-next" && len(found[0].Fixes) > 0 {
			t.Errorf("a fix chooses which of two nodes is waited for: %v", found[0].Fixes)
		}
	}
}
