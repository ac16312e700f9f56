package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// callerFunc is a downstream made of a function.
type callerFunc func(ctx context.Context, c run.Call) (*run.Result, error)

func (f callerFunc) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	return f(ctx, c)
}

// answers is a downstream whose every tool answers with content items.
func answers(structured string, content ...string) run.Caller {
	return callerFunc(func(context.Context, run.Call) (*run.Result, error) {
		r := &run.Result{Structured: json.RawMessage(structured)}
		for _, c := range content {
			r.Content = append(r.Content, json.RawMessage(c))
		}
		return r, nil
	})
}

const loopGraph = `
nodes:
  - {id: entry, type: entry, next: add}
  - {id: add, type: transform, transform: {expr: '{"i": $executionCount("add") + 1}'}, next: more}
  - id: more
    type: switch
    conditions: [{rule: {"<": [{var: $.add.i}, {var: $.entry.n}]}, next: add}]
    next: exit
  - {id: exit, type: exit, result: {expr: '{"n": $.add.i, "first": $nodeExecution("add", 0).i, "last": $nodeExecution("add", -1).i, "none": $nodeExecution("add", 99), "all": $count($nodeExecutions("add")), "previous": $previousNode(), "before": $previousNode(2).i}'}}
`

func TestLoopAndHistory(t *testing.T) {
	got := runPlan(t, compile(t, loopGraph, engine.Env{}), nil, `{"n": 5}`)
	want := `{"n":5,"first":1,"last":5,"none":null,"all":5,"previous":"exit","before":5}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func failure(t *testing.T, plan *engine.Plan, caller run.Caller, arguments string, o local.Options) *diag.Fault {
	t.Helper()
	rec := local.Run(t.Context(), plan, caller, json.RawMessage(arguments), o)
	if rec.Fault == nil {
		t.Fatalf("the run %s, it should have failed", rec.Status)
	}
	return rec.Fault
}

func TestLimits(t *testing.T) {
	t.Run("node executions", func(t *testing.T) {
		plan := compile(t, loopGraph, engine.Env{})
		f := failure(t, plan, nil, `{"n": 100000}`, local.Options{Options: run.Options{Limits: run.Limits{MaxNodeExecutions: 50}}})
		if f.Code != "too-many-executions" || !strings.Contains(f.Message, "50") || f.Hint == "" {
			t.Errorf("got %+v", f)
		}
	})
	t.Run("the document's own, below the operator's", func(t *testing.T) {
		plan := compile(t, "executionLimits: {maxNodeExecutions: 7}\n"+strings.TrimPrefix(loopGraph, "\n"), engine.Env{})
		if f := failure(t, plan, nil, `{"n": 100}`, local.Options{}); !strings.Contains(f.Message, "after 7 node executions") {
			t.Errorf("got %+v", f)
		}
	})
	t.Run("time, during a call", func(t *testing.T) {
		hang := callerFunc(func(ctx context.Context, _ run.Call) (*run.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		plan := compile(t, callGraph(`{}`), engine.Env{})
		synctest.Test(t, func(t *testing.T) {
			started := time.Now()
			f := failure(t, plan, hang, `{}`, local.Options{Options: run.Options{Limits: run.Limits{MaxExecutionTime: 3 * time.Minute}}})
			if took := time.Since(started); f.Code != "time-limit" || f.Node != "call" || took != 3*time.Minute {
				t.Errorf("got %+v after %s", f, took)
			}
		})
	})
	t.Run("time, during an expression", func(t *testing.T) {
		plan := compile(t, exprGraph(`($f := function($x) { $f($x) }; $f(1))`), engine.Env{})
		f := failure(t, plan, nil, `{}`, local.Options{Options: run.Options{Limits: run.Limits{MaxExecutionTime: 20 * time.Millisecond, MaxExpressionTime: time.Minute}}})
		if f.Code != "time-limit" || f.Node != "t" {
			t.Errorf("got %+v", f)
		}
	})
}

func TestCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan struct{})
	hang := callerFunc(func(ctx context.Context, _ run.Call) (*run.Result, error) {
		close(started)
		<-ctx.Done()
		return nil, ctx.Err()
	})
	go func() { <-started; cancel() }()
	rec := local.Run(ctx, compile(t, callGraph(`{}`), engine.Env{}), hang, nil, local.Options{})
	if rec.Status != run.Cancelled || rec.Fault.Code != "cancelled" || rec.Fault.Node != "call" {
		t.Errorf("got %s, %+v", rec.Status, rec.Fault)
	}
}

// callGraph calls one tool with args and returns its output.
func callGraph(args string) string {
	return `{"nodes":[{"id":"entry","type":"entry","next":"call"},{"id":"call","type":"mcp","server":"s","tool":"t","args":` + args + `,"next":"exit"},{"id":"exit","type":"exit"}]}`
}

// exprGraph returns the value of one expression.
func exprGraph(expression string) string {
	b, _ := json.Marshal(expression)
	return `{"nodes":[{"id":"entry","type":"entry","next":"t"},{"id":"t","type":"transform","transform":{"expr":` + string(b) + `},"next":"exit"},{"id":"exit","type":"exit"}]}`
}

func TestResultsThatCannotBeRead(t *testing.T) {
	deep := json.RawMessage(`{"a":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`)
	answers := callerFunc(func(context.Context, run.Call) (*run.Result, error) { return &run.Result{Structured: deep}, nil })
	f := failure(t, compile(t, callGraph(`{}`), engine.Env{}), answers, `{}`, local.Options{})
	if f.Code != "bad-result" || f.Node != "call" || !strings.Contains(f.Message, "s/t") || !strings.Contains(f.Message, "nested deeper than 500") || f.Hint == "" {
		t.Errorf("got %+v", f)
	}
}

func TestUnwrappedOutputs(t *testing.T) {
	tests := []struct {
		name       string
		structured string
		content    []string
		want       string
	}{
		{"structured content wins", `{"z":9007199254740993,"a":1.10}`, []string{`{"type":"text","text":"other"}`}, `{"z":9007199254740993,"a":1.10}`},
		{"text that is JSON", "", []string{`{"type":"text","text":"{\"b\":1,\"a\":[2]}"}`}, `{"b":1,"a":[2]}`},
		{"text that is a number", "", []string{`{"type":"text","text":"12"}`}, `12`},
		{"plain text", "", []string{`{"type":"text","text":"hello"}`}, `"hello"`},
		{"one image", "", []string{`{"type":"image","data":"AA==","mimeType":"image/png"}`}, `{"type":"image","data":"AA==","mimeType":"image/png"}`},
		{"several items", "", []string{`{"type":"text","text":"1"}`, `{"type":"text","text":"x"}`}, `[1,"x"]`},
		{"nothing", "", nil, `null`},
	}
	plan := compile(t, callGraph(`{}`), engine.Env{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, runPlan(t, plan, answers(tt.structured, tt.content...), `{}`)); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
		})
	}
}

func TestToolErrorFailsTheNode(t *testing.T) {
	broken := callerFunc(func(context.Context, run.Call) (*run.Result, error) {
		return &run.Result{IsError: true, Content: []json.RawMessage{json.RawMessage(`{"type":"text","text":"no such file"}`)}}, nil
	})
	rec := local.Run(t.Context(), compile(t, callGraph(`{"path":{"expr":"\"a\" & \"b\""}}`), engine.Env{}), broken, nil, local.Options{})
	if rec.Fault == nil || rec.Fault.Code != "tool-failed" || rec.Fault.Node != "call" || !strings.Contains(rec.Fault.Message, "no such file") {
		t.Fatalf("got %+v", rec.Fault)
	}
	input, _ := expr.Encode(rec.Steps[1].Input)
	if string(input) != `{"path":"ab"}` {
		t.Errorf("the failed node was given %s", input)
	}
}

func TestArguments(t *testing.T) {
	echo := callerFunc(func(_ context.Context, c run.Call) (*run.Result, error) {
		return &run.Result{Structured: c.Args}, nil
	})
	tests := []struct{ name, args, input, want string }{
		{"literals and expressions at any depth", `{"a":{"b":[1,{"expr":"$.entry.x"}]},"c":"$5"}`, `{"x":"y"}`, `{"a":{"b":[1,"y"]},"c":"$5"}`},
		{"undefined drops a key", `{"a":{"expr":"$.entry.none"},"b":1}`, `{}`, `{"b":1}`},
		{"undefined is null in a list", `{"a":[{"expr":"$.entry.none"},2]}`, `{}`, `{"a":[null,2]}`},
		{"big numbers pass", `{"a":{"expr":"$.entry.x"}}`, `{"x":9007199254740993}`, `{"a":9007199254740993}`},
		{"the older form", `{"a":"$.entry.x","b":"x"}`, `{"x":3}`, `{"a":3,"b":"x"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, runPlan(t, compile(t, callGraph(tt.args), engine.Env{}), echo, tt.input)); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

const schemaGraph = `
name: schemas
inputSchema:
  type: object
  properties: {n: {type: integer}, unit: {type: string, default: kg}, deep: {type: object, properties: {on: {type: boolean, default: true}}}}
  required: [n]
outputSchema: {type: object, properties: {total: {type: number}}, required: [total]}
nodes:
  - {id: entry, type: entry, next: exit}
  - {id: exit, type: exit, result: {expr: '$.entry.n > 10 ? {"sum": $.entry.n} : {"total": $.entry.n, "unit": $.entry.unit, "deep": $.entry.deep}'}}
`

func TestSchemas(t *testing.T) {
	plan := compile(t, schemaGraph, engine.Env{})
	if diff := cmp.Diff(`{"total":3,"unit":"kg","deep":{"on":true}}`, runPlan(t, plan, nil, `{"n":3,"deep":{}}`)); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
	if f := failure(t, plan, nil, `{"n":"3"}`, local.Options{}); f.Code != "invalid-arguments" || f.Path != "/arguments/n" || f.Got != "3" || f.Want != "integer" {
		t.Errorf("arguments: got %+v", f)
	}
	if f := failure(t, plan, nil, `{}`, local.Options{}); f.Message != `the argument "n" is missing` || f.Hint != `"n" has the type integer` {
		t.Errorf("arguments: got %+v", f)
	}
	if f := failure(t, plan, nil, `{"n":11}`, local.Options{}); f.Code != "invalid-result" || !strings.Contains(f.Message, `missing "total"`) {
		t.Errorf("result: got %+v", f)
	}
}

func TestPinsAndUntil(t *testing.T) {
	plan := compile(t, callGraph(`{}`), engine.Env{})
	pin, _ := expr.Decode([]byte(`{"pinned":true}`))
	rec := local.Run(t.Context(), plan, nil, nil, local.Options{Options: run.Options{Pins: map[string]expr.Value{"call": pin}}})
	if got, _ := expr.Encode(rec.Result); string(got) != `{"pinned":true}` || rec.Steps[1].Simulated != "pin" {
		t.Errorf("got %s, %+v", got, rec.Fault)
	}
	rec = local.Run(t.Context(), plan, nil, json.RawMessage(`{"x":1}`), local.Options{Options: run.Options{Until: "entry"}})
	if got, _ := expr.Encode(rec.Result); string(got) != `{"x":1}` || len(rec.Steps) != 1 {
		t.Errorf("until: got %s after %d steps", got, len(rec.Steps))
	}
	f := failure(t, plan, nil, `{}`, local.Options{Options: run.Options{Until: "cal"}})
	if f.Code != "unknown-node" || len(f.Suggestions) != 1 || f.Suggestions[0] != "call" {
		t.Errorf("got %+v", f)
	}
	f = failure(t, plan, nil, `{}`, local.Options{Options: run.Options{Pins: map[string]expr.Value{"y": pin, "x": pin, "z": pin, "w": pin, "v": pin, "u": pin}}})
	if f.Code != "unknown-node" || f.Path != "/pins" || !strings.Contains(f.Message, `"u"`) {
		t.Errorf("several unknown pins: got %+v", f)
	}
}

// Every failure of an expression names the node, the place in the document, the
// value's type where it matters, and what to do.
func TestExpressionFaultNamesItsPlace(t *testing.T) {
	head := "nodes:\n  - {id: entry, type: entry, next: t}\n  - id: t\n    type: transform\n    transform:\n      expr: |\n        {\"é\": 1,\n         \"ü\": "
	for _, tt := range []struct{ src, message, hint string }{
		{`$.entry.x + 1`, `line 8, column 15 failed: the left operand of the "+" operator must evaluate to a number, got a string`, "$number"},
		{`$sum($.entry.x)`, "line 8, column 20 failed: $sum: argument 1 must be an array of numbers, got a string", "$number"},
		{`[1, "é", 2 * $.entry.o]`, `line 8, column 28 failed: the right operand of the "*" operator must evaluate to a number, got an object`, "$number"},
		{`$.entry.x < 3`, `line 8, column 27 failed: the operands of the "<" operator must be both numbers or both strings, got a string and 3`, "convert one side"},
		{`$uppercase($.entry.o)`, "line 8, column 26 failed: $uppercase: argument 1 must be a string, got an object", "$string"},
		{`$lookup({"f": $.entry.x}, "f")(1)`, "line 8, column 15 failed: what is called is not a function: a string", "spelling"},
		{`$.entry.n / 0`, "line 8, column 15 failed: the result contains a number that is not finite", "test the divisor"},
		{`$pad("", 1e9)`, "line 8, column 15 failed: the result of $pad is longer than 32 MiB", "select the part"},
		{`($f := function($x) { $f($x) }; $f(1))`, "line 8, column 37 failed: the expression took longer than 50ms", "endless recursion"},
		{`$error("no stock")`, "line 8, column 15 failed: no stock", ""},
	} {
		limit, code := time.Minute, "expression-failed"
		if strings.Contains(tt.message, "longer than 50ms") {
			limit, code = 50*time.Millisecond, run.ExpressionTimeout
		}
		f := failure(t, compile(t, head+tt.src+"}\n    next: exit\n  - {id: exit, type: exit}\n", engine.Env{}), nil, `{"x":"text","o":{},"n":1}`,
			local.Options{Options: run.Options{Limits: run.Limits{MaxExpressionTime: limit}}})
		if f.Code != code || f.Node != "t" || f.Path != "/nodes/1/transform/expr" || !strings.Contains(f.Message, tt.message) || !strings.Contains(f.Hint, tt.hint) ||
			!strings.Contains(fmt.Sprint(f.Got), tt.src) {
			t.Errorf("%s\n got %+v\nwant %s", tt.src, f, tt.message)
		}
	}
}

// TestRunsAreIsolated runs one plan many times at once: every run must see its
// own values only.
func TestRunsAreIsolated(t *testing.T) {
	plan := compile(t, loopGraph, engine.Env{})
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			n := i%9 + 2
			rec := local.Run(t.Context(), plan, nil, json.RawMessage(fmt.Sprintf(`{"n":%d}`, n)), local.Options{})
			got, _ := expr.Encode(rec.Result)
			if want := fmt.Sprintf(`{"n":%d,"first":1,"last":%d,"none":null,"all":%d,`, n, n, n); !strings.HasPrefix(string(got), want) {
				t.Errorf("got %s, want %s…", got, want)
			}
		})
	}
	wg.Wait()
}

// TestUntilThatIsNotReached: a run that ends before its until returns the result of
// the whole graph, which the output schema holds for.
func TestUntilThatIsNotReached(t *testing.T) {
	plan := compile(t, `
outputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: pick}
  - {id: pick, type: switch, conditions: [{rule: {var: $.entry.x}, next: late}], next: exit}
  - {id: late, type: transform, transform: {expr: '{"n": 1}'}, next: exit}
  - {id: exit, type: exit, result: {expr: '$.late ?? $.entry'}}
`, engine.Env{})
	f := failure(t, plan, nil, `{}`, local.Options{Options: run.Options{Until: "late"}})
	if f.Code != "invalid-result" {
		t.Errorf("not reached: got %v", f)
	}
	if rec := local.Run(t.Context(), plan, nil, json.RawMessage(`{"x":true}`), local.Options{Options: run.Options{Until: "late"}}); rec.Fault != nil {
		t.Errorf("reached: got %v", rec.Fault)
	}
}
