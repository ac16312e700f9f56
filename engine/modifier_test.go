package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
)

// toolset is a set of downstream tools "s/<name>" and whether each may be
// repeated.
type toolset map[string]bool

func (t toolset) Tool(server, tool string) (*engine.Tool, *diag.Fault) {
	repeat, ok := t[tool]
	if !ok || server != "s" {
		return nil, diag.Faultf("unknown-tool", "no tool %q", tool)
	}
	return &engine.Tool{Spec: &specs.Spec{NodeType: "mcp", Subtype: "s/" + tool, Annotations: &specs.Annotations{Trusted: true, Idempotent: &repeat}}}, nil
}

func (t toolset) Names() []string { return nil }

func (t toolset) Resolve(string) (server, tool string, ok bool) { return "", "", false }

// callWith is a graph of one call with modifiers and a handler for its failure.
func callWith(tool, modifiers, result string) string {
	if result == "" {
		result = "$.call"
	}
	r, _ := json.Marshal(result)
	return fmt.Sprintf(`{"nodes":[{"id":"entry","type":"entry","next":"call"},{"id":"call","type":"mcp","server":"s","tool":%q,"args":{"item":{"expr":"$.entry.x"}},%s,"next":"exit"},
	{"id":"exit","type":"exit","result":{"expr":%s}}]}`, tool, modifiers, r)
}

var anyTool = engine.Env{Tools: toolset{"safe": true, "once": false}}

// fails answers n calls with an error and the others with their arguments.
func fails(n int64, calls *atomic.Int64) run.Caller {
	return callerFunc(func(_ context.Context, c run.Call) (*run.Result, error) {
		if calls.Add(1) <= n {
			return &run.Result{IsError: true, Content: []json.RawMessage{json.RawMessage(`{"type":"text","text":"{\"reason\":\"busy\"}"}`)}}, nil
		}
		return &run.Result{Structured: c.Args}, nil
	})
}

func TestOnError(t *testing.T) {
	var calls atomic.Int64
	plan := compile(t, callWith("once", `"onError":"exit"`, `{"out": $.call.error, "previous": $exists($previousNode().error)}`), anyTool)
	rec := local.Run(t.Context(), plan, fails(1, &calls), nil, local.Options{})
	got, _ := expr.Encode(rec.Result)
	want := `{"out":{"code":"tool-failed","message":"s/once answered with an error: {\"reason\":\"busy\"}","node":"call","attempts":1,"details":{"reason":"busy"}},"previous":true}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("output of a failed node (-want +got):\n%s", diff)
	}
	step := rec.Steps[1]
	if step.Fault == nil || !step.Caught || step.Output == nil {
		t.Errorf("the trace must have both fault and output: %+v", step)
	}
	if v, _ := expr.Compile(`$.call.error.code`); v != nil {
		if seen, err := v.Eval(t.Context(), rec.Scope(2, expr.Limits{})); err != nil || seen != "tool-failed" {
			t.Errorf("the record's context after the failure has %v, %v", seen, err)
		}
	}
}

func TestOnErrorDoesNotCatchWhatEndsTheRun(t *testing.T) {
	hang := callerFunc(func(ctx context.Context, _ run.Call) (*run.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	plan := compile(t, callWith("once", `"onError":"exit"`, ""), anyTool)
	f := failure(t, plan, hang, `{}`, local.Options{Options: run.Options{Limits: run.Limits{MaxExecutionTime: 20 * time.Millisecond}}})
	if f.Code != "time-limit" || !strings.Contains(f.Hint, "limits.maxExecutionTimeMs in patchbay.yaml") {
		t.Errorf("time limit: got %+v", f)
	}
	ctx, cancel := context.WithCancel(t.Context())
	called := callerFunc(func(ctx context.Context, c run.Call) (*run.Result, error) {
		cancel()
		return hang(ctx, c)
	})
	if rec := local.Run(ctx, plan, called, nil, local.Options{}); rec.Status != run.Cancelled {
		t.Errorf("cancellation: got %s, %v", rec.Status, rec.Fault)
	}
	over := compile(t, callWith("once", `"foreach":{"items":[1,2,3]},"onError":"exit"`, ""), anyTool)
	if f := failure(t, over, answers(`{}`), `{}`, local.Options{Options: run.Options{Limits: run.Limits{MaxNodeExecutions: 3}}}); f.Code != "too-many-executions" || !strings.Contains(f.Message, "3 items") {
		t.Errorf("node executions: got %+v", f)
	}
}

func TestRetry(t *testing.T) {
	fast := `"retry":{"maxAttempts":3,"initialMs":1,"maxMs":2%s},"onError":"exit"`
	tests := []struct {
		name, tool, extra, want string
		fails, calls            int64
	}{
		{"until it works", "safe", "", `{"item":1}`, 2, 3},
		{"until the attempts are used up", "safe", "", `3`, 9, 3},
		{"not what may do harm", "once", "", `1`, 9, 1},
		{"unless told", "once", `,"unsafe":true`, `{"item":1}`, 1, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var calls atomic.Int64
			plan := compile(t, callWith(tt.tool, fmt.Sprintf(fast, tt.extra), `$exists($.call.error) ? $.call.error.attempts : $.call`), anyTool)
			got := runPlan(t, plan, fails(tt.fails, &calls), `{"x":1}`)
			if got != tt.want || calls.Load() != tt.calls {
				t.Errorf("got %s after %d calls, want %s after %d", got, calls.Load(), tt.want, tt.calls)
			}
		})
	}
	t.Run("not the graph's own faults", func(t *testing.T) {
		var calls atomic.Int64
		src := strings.Replace(callWith("safe", `"retry":{"initialMs":60000}`, ""), "$.entry.x", "$.entry.x + 1", 1)
		plan := compile(t, src, anyTool)
		synctest.Test(t, func(t *testing.T) {
			started := time.Now()
			f := failure(t, plan, fails(0, &calls), `{"x":"text"}`, local.Options{})
			if f.Code != "expression-failed" || calls.Load() != 0 || !time.Now().Equal(started) {
				t.Errorf("got %+v after %s", f, time.Since(started))
			}
		})
	})
	t.Run("each call has a key of its own", func(t *testing.T) {
		var keys []string
		busy := callerFunc(func(_ context.Context, c run.Call) (*run.Result, error) {
			keys = append(keys, c.Key)
			return nil, errors.New("busy")
		})
		if f := failure(t, compile(t, callWith("safe", `"retry":{"initialMs":1}`, ""), anyTool), busy, `{}`, local.Options{}); f.Message != "busy" {
			t.Errorf("got %+v", f)
		}
		if diff := cmp.Diff([]string{"call#0/call", "call#0/call#2", "call#0/call#3"}, keys); diff != "" {
			t.Errorf("keys (-want +got):\n%s", diff)
		}
	})
}

func TestTimeoutOfOneAttempt(t *testing.T) {
	var calls atomic.Int64
	slow := callerFunc(func(ctx context.Context, _ run.Call) (*run.Result, error) {
		if calls.Add(1) == 1 {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return &run.Result{Structured: json.RawMessage(`{"ok":true}`)}, nil
	})
	if got := runPlan(t, compile(t, callWith("safe", `"timeoutMs":10,"retry":{"initialMs":1}`, ""), anyTool), slow, `{}`); got != `{"ok":true}` {
		t.Errorf("the second attempt: got %s", got)
	}
	calls.Store(0)
	f := failure(t, compile(t, callWith("safe", `"timeoutMs":10`, ""), anyTool), slow, `{}`, local.Options{})
	if f.Code != "attempt-timeout" || f.Node != "call" || !strings.Contains(f.Message, "10ms") {
		t.Errorf("got %+v", f)
	}
}

func TestForeach(t *testing.T) {
	tests := []struct{ name, foreach, arg, input, want string }{
		{"items in order, at once", `{"items":{"expr":"$.entry.xs"},"concurrency":8}`, `{"expr":"$item * 10 + $index"}`, `{"xs":[1,2,3,4,5]}`, `[10,21,32,43,54]`},
		{"a name of their own", `{"items":[{"n":1},{"n":2}],"as":"row"}`, `{"expr":"$row.n"}`, `{}`, `[1,2]`},
		{"undefined has no items", `{"items":{"expr":"$.entry.none"}}`, `{"expr":"$item"}`, `{}`, `[]`},
		{"a single value is one", `{"items":{"expr":"$.entry.xs"}}`, `{"expr":"$item"}`, `{"xs":"a"}`, `["a"]`},
		{"literal items with expressions", `{"items":[1,{"expr":"$.entry.xs"}]}`, `{"expr":"$item"}`, `{"xs":2}`, `[1,2]`},
		{"the outer context", `{"items":[1,2]}`, `{"expr":"$.entry.xs + $item"}`, `{"xs":5}`, `[6,7]`},
	}
	echo := callerFunc(func(_ context.Context, c run.Call) (*run.Result, error) {
		var args struct {
			Item json.RawMessage `json:"item"`
		}
		_ = json.Unmarshal(c.Args, &args)
		return &run.Result{Content: []json.RawMessage{json.RawMessage(`{"type":"text","text":` + quoted(args.Item) + `}`)}}, nil
	})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := strings.Replace(callWith("once", `"foreach":`+tt.foreach, ""), `{"expr":"$.entry.x"}`, tt.arg, 1)
			if got := runPlan(t, compile(t, src, anyTool), echo, tt.input); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func quoted(b json.RawMessage) string {
	q, _ := json.Marshal(string(b))
	return string(q)
}

// odd fails for odd items, and notes the keys of the calls.
func odd(mu *sync.Mutex, keys *[]string) run.Caller {
	return callerFunc(func(_ context.Context, c run.Call) (*run.Result, error) {
		mu.Lock()
		*keys = append(*keys, c.Key)
		mu.Unlock()
		var args struct{ Item int }
		_ = json.Unmarshal(c.Args, &args)
		if args.Item%2 == 1 {
			return nil, errors.New("odd")
		}
		return &run.Result{Structured: c.Args}, nil
	})
}

func TestForeachFailure(t *testing.T) {
	var mu sync.Mutex
	var keys []string
	items := func(extra string) *engine.Plan {
		return compile(t, strings.Replace(callWith("once", `"foreach":{"items":[2,3,4],"concurrency":2`+extra+`}`, `$.call.($exists(error) ? error.code & error.node : item)`), "$.entry.x", "$item", 1), anyTool)
	}
	rec := local.Run(t.Context(), items(`,"onItemError":"continue"`), odd(&mu, &keys), nil, local.Options{})
	if got, _ := expr.Encode(rec.Result); string(got) != `[2,"node-failedcall",4]` {
		t.Errorf("continue: got %s, %v", got, rec.Fault)
	}
	slices.Sort(keys)
	if diff := cmp.Diff([]string{"call#0[0]/call", "call#0[1]/call", "call#0[2]/call"}, keys); diff != "" {
		t.Errorf("keys of the calls (-want +got):\n%s", diff)
	}
	if len(rec.Steps) != 6 {
		t.Errorf("the record has %d steps, want entry, call, its 3 items and exit", len(rec.Steps))
	}
	for _, step := range rec.Steps {
		if step.Key == "call#0[1]" && (step.Fault == nil || !step.Caught) {
			t.Errorf("the failed item is recorded as %+v", step)
		}
	}
	if f := failure(t, items(""), odd(&mu, &keys), `{}`, local.Options{}); f.Message != "odd" || f.Node != "call" {
		t.Errorf("fail: got %+v", f)
	}
}

// codes are those of the diagnostics of a text, errors and warnings.
func codes(src string, env engine.Env) (found []string, l diag.List) {
	doc, l := graph.Parse("graph.yaml", src)
	if doc != nil {
		_, more := engine.Compile(doc, "", env)
		l = append(l, more...)
	}
	for _, d := range l {
		if d.Severity != diag.Note {
			found = append(found, d.Code)
		}
	}
	return found, l
}

func TestMistakesInModifiers(t *testing.T) {
	tests := []struct{ name, modifiers, want string }{
		{"an unknown target", `"onError":"exot"`, "dangling-edge"},
		{"itself", `"onError":"call"`, "on-error-to-itself"},
		{"snake case", `"on_error":"exit"`, "snake-case-key"},
		{"another word", `"timeout":100`, "misspelt-key"},
		{"a number of retries", `"retry":3`, "bad-modifier"},
		{"a near miss in retry", `"retry":{"maxAtempts":3,"unsafe":true}`, "misspelt-key"},
		{"too many attempts", `"retry":{"maxAttempts":1000,"unsafe":true}`, "bad-modifier"},
		{"a retry that never happens", `"retry":{"maxAttempts":3}`, "retry-without-effect"},
		{"no time", `"timeoutMs":0`, "bad-modifier"},
		{"a number as text", `"timeoutMs":"100"`, "bad-modifier"},
		{"items bare", `"foreach":{"items":"$.entry.x"}`, "bare-expression"},
		{"items in place of foreach", `"foreach":{"expr":"$.entry.x"}`, "foreach-shape"},
		{"no items", `"foreach":{"as":"row"}`, "foreach-shape"},
		{"a name with its $", `"foreach":{"items":[1],"as":"$row"}`, "foreach-shape"},
		{"a name that is taken", `"foreach":{"items":[1],"as":"count"}`, "foreach-shape"},
		{"an unknown policy", `"foreach":{"items":[1],"onItemError":"contin"}`, "foreach-shape"},
		{"no concurrency", `"foreach":{"items":[1],"concurrency":0}`, "bad-modifier"},
		{"an item in the items", `"foreach":{"items":{"expr":"$item"}}`, "unknown-variable"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, l := codes(callWith("once", tt.modifiers, ""), anyTool)
			if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
				t.Fatalf("codes (-want +got):\n%s\n%v", diff, l)
			}
			for _, d := range l {
				for _, fix := range d.Fixes {
					fixed, _ := codes(diag.ApplyEdits(callWith("once", tt.modifiers, ""), fix.Edits), anyTool)
					if slices.Contains(fixed, tt.want) && tt.want != "retry-without-effect" {
						t.Errorf("the fix %q leaves %v", fix.Title, fixed)
					}
				}
			}
		})
	}
	if got, _ := codes(callGraph(`{"a":{"expr":"$item"}}`), engine.Env{}); !slices.Contains(got, "unknown-variable") {
		t.Errorf("$item without foreach: got %v", got)
	}
	if got, _ := codes(exprGraph(`1`)[:len(exprGraph(`1`))-1]+`}`, engine.Env{}); len(got) != 0 {
		t.Errorf("a plain graph: got %v", got)
	}
}

func TestFlowShowsHandlersAsBranches(t *testing.T) {
	plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: s, tool: t, onError: sorry, next: fork}
  - {id: fork, type: parallel, branches: [a, b], join: exit}
  - {id: a, type: wait, ms: 1, next: exit}
  - {id: b, type: wait, ms: 1, next: exit}
  - {id: sorry, type: transform, transform: {expr: $.call.error.message}, next: exit}
  - {id: exit, type: exit}
`, engine.Env{})
	want := "entry -> call(s/t) -> fork(parallel) -> exit\ncall [onError] -> sorry{…} -> exit\nfork [branches/0] -> a(wait) -> exit\nfork [branches/1] -> b(wait) -> exit"
	if diff := cmp.Diff(want, plan.Flow()); diff != "" {
		t.Errorf("flow (-want +got):\n%s", diff)
	}
}
