package app_test

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/run"
)

// One execution of a transform or a switch shows what its expressions read and came
// to; its input is never null.
func TestGetRunShowsExpressions(t *testing.T) {
	pb := product(t)
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(`
nodes:
  - {id: entry, type: entry, next: loop}
  - {id: loop, type: transform, transform: {expr: '{"n": $executionCount("loop") + $.entry.by}'}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: $.loop.n}, 3]}, next: loop}], next: exit}
  - {id: exit, type: exit}
`)}, Arguments: []byte(`{"by": 1}`)})
	r = ran(t, r, fault, run.Succeeded)
	for _, test := range []struct {
		node           string
		index          int
		input, text, v string
	}{
		{"loop", 1, `{"$executionCount(\"loop\")":1,"$.entry.by":1}`, `{"n": $executionCount("loop") + $.entry.by}`, `{"n":2}`},
		{"more", -1, `{"$.loop.n":3}`, `{"<":[{"var":"$.loop.n"},3]}`, `false`},
	} {
		got, fault := pb.GetRun(t.Context(), execution.GetRunInput{RunID: r.RunID, Node: test.node, Index: &test.index})
		if fault != nil || len(got.Step.Expressions) != 1 {
			t.Fatalf("%s: %+v, %v", test.node, got, fault)
		}
		x := got.Step.Expressions[0]
		if string(got.Step.Input) != test.input || x.Text != test.text || string(x.Value) != test.v || x.Line == 0 || !strings.HasPrefix(x.Path, "/nodes/") {
			t.Errorf("%s: input %s, expression %+v", test.node, got.Step.Input, x)
		}
	}
}

// A step of a saved graph shows its expressions, and which graph they are in.
func TestGetRunShowsExpressionsOfSavedGraphs(t *testing.T) {
	graphs, err := graphfiles.OpenGraphs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	pb := overWith(t, app.Options{Graphs: graphs}, nil)
	twice := `
name: twice
description: Twice a number
inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
outputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: two}
  - {id: two, type: transform, transform: {expr: '{"n": 2 * $.entry.n}'}, next: exit}
  - {id: exit, type: exit}
`
	if saved, fault := pb.Save(t.Context(), library.SaveInput{GraphInput: plans.FromText("twice", twice, "")}); fault != nil || saved.Failed() {
		t.Fatalf("%+v %v", saved, fault)
	}
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(`
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: graph, graph: twice, args: {n: {expr: $item}}, foreach: {items: [1, 2]}, next: exit}
  - {id: exit, type: exit}
`)}})
	r = ran(t, r, fault, run.Succeeded)
	got, fault := pb.GetRun(t.Context(), execution.GetRunInput{RunID: r.RunID, Node: "call#0[1]/two#0"})
	if fault != nil || len(got.Step.Expressions) != 1 {
		t.Fatalf("%+v, %v", got, fault)
	}
	x := got.Step.Expressions[0]
	if string(got.Step.Input) != `{"$.entry.n":2}` || x.Graph != "twice" || x.Text != `{"n": 2 * $.entry.n}` || string(x.Value) != `{"n":4}` {
		t.Errorf("input %s, expression %+v", got.Step.Input, x)
	}
}
