package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
)

const detached = `
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [a], detach: [audit], join: meet}
  - {id: a, type: mcp, server: s, tool: main, args: {}, next: meet}
  - {id: audit, type: mcp, server: s, tool: audit, args: {x: {expr: $.entry.x}}, next: after}
  - {id: after, type: mcp, server: s, tool: after, args: {previous: {expr: '$previousNode().ok'}, a: {expr: '$exists($lookup($, "a"))'}}, next: meet}
  - {id: meet, type: mcp, server: s, tool: last, args: {}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"fork": $.fork, "audit": $exists($lookup($, "audit")), "n": $executionCount("audit")}'}}
`

const detachedResult = `{"fork":{"a":{"ok":true}},"audit":false,"n":0}`

// loggedFaults collects what is logged of detached branches.
type loggedFaults struct {
	mu  sync.Mutex
	all []string
}

func (f *loggedFaults) log(key string, fault *diag.Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, key+" "+fault.Code+" "+fault.Node)
}

func (f *loggedFaults) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.all, ", ")
}

// byTool is a downstream whose tools are functions; others answer {"ok": true}.
type byTool map[string]func(ctx context.Context, c run.Call) error

func (b byTool) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	if f := b[c.Tool]; f != nil {
		if err := f(ctx, c); err != nil {
			return nil, err
		}
	}
	return &run.Result{Structured: json.RawMessage(`{"ok":true}`)}, nil
}

func stepOf(rec *run.Record, key string) *run.StepRecord {
	for _, step := range rec.Steps {
		if step.Key == key {
			return step
		}
	}
	return &run.StepRecord{}
}

// The join does not wait for a detached branch. It sees what was before the fork and
// itself, and nothing of it is seen outside.
func TestDetachedBranch(t *testing.T) {
	began, ended := make(chan struct{}), make(chan struct{})
	var args string
	server := byTool{
		"audit": func(context.Context, run.Call) error { close(began); return nil },
		"main":  func(context.Context, run.Call) error { <-began; return nil },
		"after": func(_ context.Context, c run.Call) error { args = string(c.Args); close(ended); return nil },
		"last":  func(context.Context, run.Call) error { <-ended; return nil },
	}
	var logged loggedFaults
	rec := local.Run(t.Context(), compile(t, detached, engine.Env{}), server, json.RawMessage(`{"x":1}`), local.Options{Observer: local.Observer{DetachedFault: logged.log}})
	if got, _ := expr.Encode(rec.Result); string(got) != detachedResult {
		t.Errorf("got %s, %v", got, rec.Fault)
	}
	if args != `{"previous":true,"a":false}` {
		t.Errorf("in the branch: %s", args)
	}
	if logged.String() != "" {
		t.Errorf("logged: %s", &logged)
	}
	for index, step := range rec.Steps {
		saw, _ := expr.Encode(rec.ScopeAt(index, expr.Limits{}).Context())
		switch step.Key {
		case "fork#0/audit/after#0":
			if string(saw) != `{"entry":{"x":1},"audit":{"ok":true}}` {
				t.Errorf("%s saw %s", step.Key, saw)
			}
		case "exit#0":
			if strings.Contains(string(saw), "audit") {
				t.Errorf("%s saw %s", step.Key, saw)
			}
		}
	}
}

// A detached branch ends with the graph: its call ends, and the run has succeeded.
func TestDetachedBranchEndsWithTheGraph(t *testing.T) {
	began := make(chan struct{})
	var cause error
	server := byTool{
		"audit": func(ctx context.Context, _ run.Call) error {
			close(began)
			<-ctx.Done()
			cause = context.Cause(ctx)
			return cause
		},
		"main": func(context.Context, run.Call) error { <-began; return nil },
	}
	var logged loggedFaults
	rec := local.Run(t.Context(), compile(t, detached, engine.Env{}), server, json.RawMessage(`{"x":1}`), local.Options{Observer: local.Observer{DetachedFault: logged.log}})
	if got, _ := expr.Encode(rec.Result); string(got) != detachedResult || rec.Status != run.Succeeded {
		t.Errorf("got %s, %v", got, rec.Fault)
	}
	if cause == nil || !strings.Contains(cause.Error(), "the graph ended before") {
		t.Errorf("the call ended with %v", cause)
	}
	if step := stepOf(rec, "fork#0/audit/audit#0"); step.Fault == nil || step.Fault.Code != "cancelled" {
		t.Errorf("the step is %+v", step)
	}
	if logged.String() != "" || stepOf(rec, "fork#0/audit/after#0").Key != "" {
		t.Errorf("logged %s; after it %+v", &logged, stepOf(rec, "fork#0/audit/after#0"))
	}
	if found := local.Compare(rec, local.Replay(t.Context(), compile(t, detached, engine.Env{}), rec)); len(found) > 0 {
		t.Errorf("a replay differs: %+v", found)
	}
}

// The failure of a detached branch is logged and recorded, and is nothing that the run
// could stop at.
func TestDetachedBranchThatFails(t *testing.T) {
	failed := make(chan struct{})
	server := byTool{
		"audit": func(context.Context, run.Call) error { return errors.New("broken") },
		"main":  func(context.Context, run.Call) error { <-failed; return nil },
		"last":  func(context.Context, run.Call) error { return errors.New("down") },
	}
	logged := &loggedFaults{}
	rec := local.Run(t.Context(), compile(t, detached, engine.Env{}), server, json.RawMessage(`{"x":1}`), local.Options{Observer: local.Observer{DetachedFault: func(key string, f *diag.Fault) {
		logged.log(key, f)
		close(failed)
	}}})
	if rec.Fault == nil || rec.Fault.Node != "meet" {
		t.Errorf("the run stopped with %v", rec.Fault)
	}
	if logged.String() != "fork#0/audit node-failed audit" {
		t.Errorf("logged %s", logged)
	}
	if open := rec.Open(); len(open) != 1 || open[0].Key != "meet#0" {
		t.Errorf("open are %d: %+v", len(open), open)
	}
	delete(server, "last")
	delete(server, "main")
	audits := 0
	server["audit"] = func(context.Context, run.Call) error { audits++; return nil }
	rec = resumed(t, compile(t, detached, engine.Env{}), server, rec, run.Decision{Do: "skip", Step: "meet#0"}, local.Options{})
	if got, _ := expr.Encode(rec.Result); string(got) != detachedResult {
		t.Errorf("resumed: %s, %v", got, rec.Fault)
	}
	if audits > 0 {
		t.Error("a call that may have taken effect was repeated")
	}
}

// Where the fork fails, only the branches that join are open.
func TestDetachedBranchIsNotOpen(t *testing.T) {
	began := make(chan struct{})
	server := byTool{
		"audit": func(ctx context.Context, _ run.Call) error { close(began); <-ctx.Done(); return context.Cause(ctx) },
		"main":  func(context.Context, run.Call) error { <-began; return errDown },
	}
	rec := local.Run(t.Context(), compile(t, detached, engine.Env{}), server, json.RawMessage(`{"x":1}`), local.Options{})
	if open := rec.Open(); len(open) != 1 || open[0].Key != "fork#0/a/a#0" {
		t.Fatalf("open are %d: %+v", len(open), open)
	}
	if doubts := rec.InDoubt(); len(doubts) > 0 {
		t.Errorf("in doubt: %+v", doubts)
	}
	calls := &counted{}
	rec = resumed(t, compile(t, detached, engine.Env{}), calls, rec, run.Decision{Do: "retry"}, local.Options{})
	if got, _ := expr.Encode(rec.Result); string(got) != detachedResult || calls.calls["main"] != 1 || calls.calls["audit"] > 0 {
		t.Errorf("resumed: %s, %v after %v", got, rec.Fault, calls.calls)
	}
}

// A detached branch of a fork in a branch outlasts the outer join, one of a saved graph
// ends with it, and a run that is parked lets it finish.
func TestHowLongADetachedBranchLasts(t *testing.T) {
	release := make(chan struct{})
	done := make(chan error, 1)
	slow := func(ctx context.Context, _ run.Call) error {
		select {
		case <-release:
		case <-ctx.Done():
		}
		done <- context.Cause(ctx)
		return context.Cause(ctx)
	}
	inner := `
nodes:
  - {id: entry, type: entry, next: outer}
  - {id: outer, type: parallel, branches: [fork], join: meet}
  - {id: fork, type: parallel, detach: [audit], join: a}
  - {id: audit, type: mcp, server: s, tool: audit, args: {}, next: a}
  - {id: a, type: mcp, server: s, tool: main, args: {}, next: meet}
  - {id: meet, type: mcp, server: s, tool: last, args: {}, next: exit}
  - {id: exit, type: exit}
`
	server := byTool{"audit": slow, "last": func(context.Context, run.Call) error {
		close(release)
		if err := <-done; err != nil {
			t.Errorf("after the outer join: %v", err)
		}
		return nil
	}}
	runPlan(t, compile(t, inner, engine.Env{}), server, `{}`)

	asks := strings.Replace(inner, "{id: meet, type: mcp, server: s, tool: last, args: {}, next: exit}", "{id: meet, type: ask, message: Well?, next: exit}", 1)
	synctest.Test(t, func(t *testing.T) {
		var cause error
		server := byTool{"audit": func(ctx context.Context, _ run.Call) error {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
			cause = context.Cause(ctx)
			return cause
		}, "main": func(context.Context, run.Call) error { synctest.Wait(); return nil }}
		rec := local.Run(t.Context(), compile(t, asks, engine.Env{}), server, nil, local.Options{})
		if step := stepOf(rec, "outer#0/fork/fork#0/audit/audit#0"); rec.Status != run.Interrupted || cause != nil || !step.Done() {
			t.Errorf("parked: %s, the call ended with %v, the step is %+v", rec.Status, cause, step)
		}
	})
}

func TestMistakesInDetached(t *testing.T) {
	for _, tt := range []struct{ name, old, new, code, message string }{
		{"a node after the join reads it", "tool: last, args: {}", "tool: last, args: {a: {expr: $.audit.ok}}", "read-before-run", `node "audit" runs in the detached branch "audit", whose outputs are not seen outside of it`},
		{"a sibling reads it", "tool: main, args: {}", "tool: main, args: {a: {expr: $.after}}", "read-before-run", `node "after" runs in the detached branch "audit"`},
		{"it reads a sibling", "{x: {expr: $.entry.x}}", "{x: {expr: $.a.ok}}", "read-before-run", `node "a" cannot have run before "audit"`},
		{"its output by the fork", "exit, result: {expr: '{", "exit, result: {expr: '{\"x\": $.fork.audit, ", "unknown-field", "audit"},
		{"it asks", "{id: after, type: mcp, server: s, tool: after, args: {previous: {expr: '$previousNode().ok'}, a: {expr: '$exists($lookup($, \"a\"))'}}, next: meet}", "{id: after, type: ask, message: Well?, next: meet}", "detached-question", `"after" asks a person in the detached branch "audit"`},
		{"it is listed twice", "detach: [audit]", "detach: [audit, a]", "bad-branches", `the branch "a" is listed twice`},
		{"it is the join", "detach: [audit]", "detach: [audit, meet]", "bad-branches", "the join itself"},
		{"not a list", "detach: [audit]", "detach: audit", "bad-branches", "detach is text"},
		{"not a node", "detach: [audit]", "detach: [audti]", "dangling-edge", "audti"},
		{"neither list", "branches: [a], detach: [audit], ", "", "missing-field", `has no "branches"`},
		{"it leads to the exit", "a: {expr: '$exists($lookup($, \"a\"))'}}, next: meet}", "a: {expr: '$exists($lookup($, \"a\"))'}}, next: exit}", "exit-in-branch", `the branch "audit" reaches "exit"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := strings.Replace(detached, tt.old, tt.new, 1)
			doc, l := graph.Parse("graph.yaml", src)
			_, more := engine.Compile(doc, "", engine.Env{})
			l = append(l, more...)
			for _, d := range l {
				if d.Code == tt.code && strings.Contains(d.Message, tt.message) {
					return
				}
			}
			t.Errorf("not reported:\n%s", diag.Format("graph.yaml", src, l))
		})
	}
	compile(t, `
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, detach: [inner], join: exit}
  - {id: inner, type: parallel, branches: [x, y], join: sum}
  - {id: x, type: transform, transform: {expr: '1'}, next: sum}
  - {id: y, type: parallel, branches: [y1, y2], join: sum}
  - {id: y1, type: transform, transform: {expr: '1'}, next: sum}
  - {id: y2, type: transform, transform: {expr: '2'}, next: sum}
  - {id: sum, type: transform, transform: {expr: '$.x + $.y1 + $.y2 + $.inner.x'}, next: exit}
  - {id: exit, type: exit, result: {expr: $.entry}}
`, engine.Env{})
	compile(t, strings.Replace(detached, "branches: [a], detach: [audit]", "detach: [audit, a]", 1), engine.Env{})
}
