package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

const forkGraph = `
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [a, b], join: meet%s}
  - {id: a, type: transform, transform: {expr: $.entry.x + 1}, next: a2}
  - {id: a2, type: transform, transform: {expr: '{"a": $.a, "previous": $previousNode(), "b": $exists($lookup($, "b")), "n": $executionCount("a")}'}, next: meet}
  - {id: b, type: mcp, server: s, tool: t, next: meet}
  - {id: meet, type: transform, transform: {expr: '{"fork": $.fork, "previous": $previousNode() = $.fork, "before": $previousNode(2), "all": $.a + $.b.y}'}, next: exit}
  - {id: exit, type: exit}
`

func TestParallel(t *testing.T) {
	got := runPlan(t, compile(t, fmt.Sprintf(forkGraph, ""), engine.Env{}), answers(`{"y":10}`), `{"x":1}`)
	want := `{"fork":{"a":{"a":2,"previous":2,"b":false,"n":1},"b":{"y":10}},"previous":true,"before":{"y":10},"all":12}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func TestParallelPinsUntilAndRecord(t *testing.T) {
	plan := compile(t, fmt.Sprintf(forkGraph, ""), engine.Env{})
	pin, _ := expr.Decode([]byte(`{"y":5}`))
	rec := local.Run(t.Context(), plan, nil, json.RawMessage(`{"x":1}`), local.Options{Options: run.Options{Pins: map[string]expr.Value{"b": pin}, Until: "a2"}})
	if got, _ := expr.Encode(rec.Result); !strings.HasPrefix(string(got), `{"a":2,"previous":2`) {
		t.Errorf("until inside a branch: got %s, %v", got, rec.Fault)
	}
	keys := map[string]bool{}
	for _, step := range rec.Steps {
		keys[step.Key] = true
	}
	for _, key := range []string{"entry#0", "fork#0", "fork#0/a/a#0", "fork#0/a/a2#0", "fork#0/b/b#0"} {
		if !keys[key] {
			t.Errorf("no step has the key %s: %v", key, keys)
		}
	}
}

func TestParallelFailureStopsTheOthers(t *testing.T) {
	began := make(chan struct{})
	stopped := make(chan struct{}, 1)
	caller := callerFunc(func(ctx context.Context, c run.Call) (*run.Result, error) {
		if c.Tool == "bad" {
			<-began
			return nil, errors.New("broken")
		}
		close(began)
		<-ctx.Done()
		stopped <- struct{}{}
		return nil, ctx.Err()
	})
	src := `{"nodes":[{"id":"entry","type":"entry","next":"fork"},{"id":"fork","type":"parallel","branches":["slow","bad"],"join":"exit"%s},
		{"id":"slow","type":"mcp","server":"s","tool":"slow","onError":"slow2","next":"exit"},{"id":"slow2","type":"wait","ms":1,"next":"exit"},
		{"id":"bad","type":"mcp","server":"s","tool":"bad","next":"exit"},{"id":"exit","type":"exit","result":{"expr":%s}}]}`
	f := failure(t, compile(t, fmt.Sprintf(src, "", `"$.fork"`), engine.Env{}), caller, `{}`, local.Options{})
	if f.Node != "bad" || f.Message != "broken" {
		t.Errorf("got %+v", f)
	}
	<-stopped // the other branch
	began = make(chan struct{})
	if got := runPlan(t, compile(t, fmt.Sprintf(src, `,"onError":"exit"`, `"$.fork.error.(code & \" \" & message & \" \" & node)"`), engine.Env{}), caller, `{}`); got != `"node-failed broken bad"` {
		t.Errorf("caught: got %s", got)
	}
}

func TestParallelInALoopAndNested(t *testing.T) {
	got := runPlan(t, compile(t, `
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [inner, b], join: more}
  - {id: inner, type: parallel, branches: [x, y], join: sum}
  - {id: x, type: transform, transform: {expr: '$executionCount("fork") + 1'}, next: sum}
  - {id: y, type: transform, transform: {expr: '10'}, next: sum}
  - {id: sum, type: transform, transform: {expr: $.x + $.y}, next: more}
  - {id: b, type: transform, transform: {expr: '100'}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("fork")'}, 3]}, next: fork}], next: exit}
  - {id: exit, type: exit, result: {expr: '$nodeExecutions("fork")'}}
`, engine.Env{}), nil, `{}`)
	if want := `[{"inner":11,"b":100},{"inner":12,"b":100},{"inner":13,"b":100}]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTypesThroughTheAdditions(t *testing.T) {
	const graph = `
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [a, b], join: each}
  - {id: a, type: transform, transform: {expr: '{"n": 1}'}, next: each}
  - {id: b, type: transform, transform: {expr: %s}, next: each}
  - {id: each, type: transform, foreach: {items: {expr: '[$.a]'}}, transform: {expr: %s}, onError: exit, next: pause}
  - {id: pause, type: wait, ms: 1, next: exit}
  - {id: exit, type: exit, result: {expr: %s}}
`
	tests := []struct{ name, b, each, exit, want string }{
		{"all is known", `'1'`, `$item.n + $index`, `$.fork.a.n + $.b`, ""},
		{"a sibling is read", `$.a.n`, `$item`, `$.each`, "read-before-run"},
		{"the parallel node is read in it", `$.fork`, `$item`, `$.each`, "read-before-run"},
		{"an item has no such field", `'1'`, `$item.m`, `$.each`, "unknown-field"},
		{"a branch that is none", `'1'`, `$item`, `$.fork.c`, "unknown-field"},
		{"a field of a branch's output", `'1'`, `$item`, `$.fork.a.m`, "unknown-field"},
		{"a field of an error", `'1'`, `$item`, `$.each.error.reason`, "unknown-field"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, l := codes(fmt.Sprintf(graph, tt.b, tt.each, tt.exit), engine.Env{})
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, want %q: %v", got, tt.want, l)
			}
		})
	}
}

func TestMistakesInParallel(t *testing.T) {
	tests := []struct{ name, fork, want string }{
		{"no join", `branches: [a, b]`, "missing-field"},
		{"next for join", `branches: [a, b], next: meet`, "misspelt-key"},
		{"no branches", `join: meet`, "missing-field"},
		{"one id", `branches: a, join: meet`, "bad-branches"},
		{"an unknown branch", `branches: [a, bb], join: meet`, "dangling-edge"},
		{"a branch twice", `branches: [a, a, b], join: meet`, "bad-branches"},
		{"the join as a branch", `branches: [a, b, meet], join: meet`, "bad-branches"},
		{"an exit in a branch", `branches: [a, b, c], join: meet`, "exit-in-branch"},
		{"a way back", `branches: [a, b, d], join: meet`, "exit-in-branch"},
		{"an unknown handler", `branches: [a, b], join: meet, onError: non`, "dangling-edge"},
		{"a modifier it has not", `branches: [a, b], join: meet, timeoutMs: 5`, "unknown-key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			src := `
nodes:
  - {id: entry, type: entry, next: pick}
  - id: pick
    type: switch
    conditions: [{rule: {var: $.entry.c}, next: c}, {rule: {var: $.entry.d}, next: d}, {rule: {var: $.entry.a}, next: a}, {rule: {var: $.entry.b}, next: b}, {rule: {var: $.entry.m}, next: meet}]
    next: fork
  - {id: fork, type: parallel, ` + tt.fork + `}
  - {id: a, type: wait, ms: 1, next: meet}
  - {id: b, type: wait, ms: 1, next: meet}
  - {id: c, type: wait, ms: 1, next: exit}
  - {id: d, type: wait, ms: 1, next: fork}
  - {id: meet, type: wait, ms: 1, next: exit}
  - {id: exit, type: exit}
`
			got, l := codes(src, engine.Env{})
			if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
				t.Fatalf("codes (-want +got):\n%s\n%v", diff, l)
			}
		})
	}
}
