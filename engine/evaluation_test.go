package engine_test

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
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
	var got []string
	for i := range rec.Steps {
		for _, e := range plan.Evaluations(t.Context(), rec, i) {
			line := []string{rec.Steps[i].Key, e.Text}
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
	if len(got) != 14 {
		t.Errorf("%d evaluations", len(got))
	}
	for _, want := range []string{
		`loop#0 {"n": $executionCount("loop") + 1, "was": $.loop.n} $.loop.n=null -> {"n":1}`,
		`loop#2 {"n": $executionCount("loop") + 1, "was": $.loop.n}`,
		`more#1 {"<":[{"var":"$.loop.n"},3]} $.loop.n=2 -> true`,
		`more#2 {"<":[{"var":"$.loop.n"},3]} $.loop.n=3 -> false`,
		`each#0[1] $item * $.loop.n $.loop.n=3 -> 18`,
		`each#0 [5, 6] -> [5,6]`,
		`each#0[1] $index -> 1`,
		`fork#0/left/left#0 $.loop.n & "l" $.loop.n=3 -> "3l"`,
		`fork#0/left/after#0 $.left & "!" $.left="3l" -> "3l!"`,
		`fork#0/right/right#0 $exists($.left) $.left=null -> false`,
	} {
		found := false
		for _, line := range got {
			found = found || strings.HasPrefix(line, want)
		}
		if !found {
			t.Errorf("there is no %s in\n%s", want, strings.Join(got, "\n"))
		}
	}
}
