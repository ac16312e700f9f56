package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// TestEvaluations: what each execution of a node read and evaluated is seen again
// afterwards, in loops, branches and items too.
func TestEvaluations(t *testing.T) {
	plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: loop}
  - {id: loop, type: transform, transform: {expr: '{"n": $executionCount("loop") + 1, "was": $.loop.n}'}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: $.loop.n}, 3]}, next: loop}], next: each}
  - {id: each, type: mcp, server: s, tool: put, args: {n: {expr: $item * $.loop.n}, i: {expr: $index}}, foreach: {items: {expr: '[5, 6]'}, as: item}, next: fork}
  - {id: fork, type: parallel, branches: [left, right], join: exit}
  - {id: left, type: transform, transform: {expr: $.loop.n & "l"}, next: after}
  - {id: after, type: transform, transform: {expr: $.left & "!"}, next: exit}
  - {id: right, type: transform, transform: {expr: $exists($.left)}, next: exit}
  - {id: exit, type: exit}
`, engine.Env{})
	rec := local.Run(t.Context(), plan, &flaky{}, nil, local.Options{})
	if rec.Fault != nil {
		t.Fatal(rec.Fault)
	}
	evaluates(t, plan, rec, 14, []string{
		`loop#0 {"n": $executionCount("loop") + 1, "was": $.loop.n} $executionCount("loop")=0 $.loop.n=null -> {"n":1}`,
		`loop#2 {"n": $executionCount("loop") + 1, "was": $.loop.n}`,
		`more#1 {"<":[{"var":"$.loop.n"},3]} $.loop.n=2 -> true`,
		`more#2 {"<":[{"var":"$.loop.n"},3]} $.loop.n=3 -> false`,
		`each#0[1] $item * $.loop.n $.loop.n=3 -> 18`,
		`each#0 [5, 6] -> [5,6]`,
		`each#0[1] $index -> 1`,
		`fork#0/left/left#0 $.loop.n & "l" $.loop.n=3 -> "3l"`,
		`fork#0/left/after#0 $.left & "!" $.left="3l" -> "3l!"`,
		`fork#0/right/right#0 $exists($.left) $.left=null -> false`,
	})
}

// TestEvaluationsOfHistory: what an expression reads of the history alone is shown, as far as
// it can be computed without the rest of the expression.
func TestEvaluationsOfHistory(t *testing.T) {
	plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: first}
  - {id: first, type: transform, transform: {expr: '{"n": 4}'}, next: then}
  - {id: then, type: transform, transform: {expr: '$nodeExecution("first", -1).n + $previousNode().n + $count($nodeExecutions("first"))'}, next: each}
  - {id: each, type: transform, transform: {expr: '$map([0], function($i) { $nodeExecution("first", $i).n })'}, next: exit}
  - {id: exit, type: exit}
`, engine.Env{})
	rec := local.Run(t.Context(), plan, &flaky{}, nil, local.Options{})
	if rec.Fault != nil {
		t.Fatal(rec.Fault)
	}
	evaluates(t, plan, rec, 3, []string{
		`then#0 $nodeExecution("first", -1).n + $previousNode().n + $count($nodeExecutions("first")) $nodeExecution("first", -1)={"n":4} $previousNode()={"n":4} $nodeExecutions("first")=[{"n":4}] -> 9`,
		`each#0 $map([0], function($i) { $nodeExecution("first", $i).n }) -> `,
	})
}

// TestEvaluationsInSavedGraphs: the steps of saved graphs show what they evaluated as
// those of the graph itself do, in items, branches and attempts too, and where the record
// has lost their values.
func TestEvaluationsInSavedGraphs(t *testing.T) {
	graphs := library{}
	env := engine.Env{Graphs: graphs}
	graphs["twice"] = compile(t, `
name: twice
nodes:
  - {id: entry, type: entry, next: double}
  - {id: double, type: transform, transform: {expr: $.entry.n * 2}, next: big}
  - {id: big, type: switch, conditions: [{rule: {">": [{var: $.double}, 3]}, next: put}], next: put}
  - {id: put, type: mcp, server: s, tool: put, args: {n: {expr: $.double}}, next: exit}
  - {id: exit, type: exit, result: {expr: $.double}}
`, env)
	graphs["each"] = compile(t, `
name: each
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [items], join: exit}
  - {id: items, type: graph, graph: twice, args: {n: {expr: $item}}, foreach: {items: {expr: '$.entry.of'}}, retry: {maxAttempts: 2, initialMs: 0, unsafe: true}, next: exit}
  - {id: exit, type: exit}
`, env)
	plan := compile(t, `
name: outer
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: graph, graph: each, args: {of: {expr: '[1, 2]'}}, next: exit}
  - {id: exit, type: exit}
`, env)
	server := firstFails()
	rec := local.Run(t.Context(), plan, server, nil, local.Options{})
	if rec.Fault != nil {
		t.Fatal(rec.Fault)
	}
	want := []string{
		`call#0 [1, 2] -> [1,2]`,
		`each: call#0/fork#0/items/items#0 $.entry.of $.entry.of=[1,2] -> [1,2]`,
		`each: call#0/fork#0/items/items#0[1] $item -> 2`,
		`twice: call#0/fork#0/items/items#0[0]/double#0 $.entry.n * 2 $.entry.n=1 -> 2`,
		`twice: call#0/fork#0/items/items#0[0]/#2/put#0 $.double $.double=2 -> 2`,
		`twice: call#0/fork#0/items/items#0[1]/double#0 $.entry.n * 2 $.entry.n=2 -> 4`,
		`twice: call#0/fork#0/items/items#0[1]/big#0 {">":[{"var":"$.double"},3]} $.double=4 -> true`,
		`twice: call#0/fork#0/items/items#0[1]/exit#0 $.double $.double=4 -> 4`,
	}
	evaluates(t, plan, rec, 15, want)
	for i := range rec.Steps {
		if step := rec.Steps[i]; step.Follows() {
			step.Input, step.Output, step.Lost = nil, nil, true
		}
	}
	local.Complete(t.Context(), plan, rec)
	evaluates(t, plan, rec, 15, want)
}

// evaluates checks how many evaluations the steps of a run have in all, and how some of
// them begin.
func evaluates(t *testing.T, plan *engine.Plan, rec *run.Record, n int, some []string) {
	t.Helper()
	var got []string
	for i := range rec.Steps {
		for _, e := range plan.Evaluations(t.Context(), rec, i) {
			line := []string{rec.Steps[i].Key, e.Text}
			if e.Graph != "" {
				line[0] = e.Graph + ": " + line[0]
			}
			for _, read := range e.Reads {
				v, _ := expr.Encode(read.Value)
				line = append(line, read.Text+"="+string(v))
			}
			v, _ := expr.Encode(e.Value)
			if e.Err != nil {
				v = []byte(e.Err.Error())
			}
			got = append(got, strings.Join(line, " ")+" -> "+string(v))
		}
	}
	if len(got) != n {
		t.Errorf("%d evaluations, want %d:\n%s", len(got), n, strings.Join(got, "\n"))
	}
	for _, want := range some {
		if !slices.ContainsFunc(got, func(line string) bool { return strings.HasPrefix(line, want) }) {
			t.Errorf("there is no %s in\n%s", want, strings.Join(got, "\n"))
		}
	}
}
