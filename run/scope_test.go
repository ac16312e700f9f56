package run_test

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// After a join, expressions see the branches in the order that the step recorded,
// whichever ended first; without a record of it, in the order of their keys.
func TestScopeAfterAJoin(t *testing.T) {
	seen, err := expr.Compile(`$previousNode(2) & " " & $previousNode(3)`)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		branches []string
		want     string
	}{{[]string{"z", "a"}, "from a from z"}, {[]string{"a", "z"}, "from z from a"}, {nil, "from z from a"}} {
		rec := &run.Record{Steps: []*run.StepRecord{
			{Index: 0, Node: "fork", Key: "fork#0", Branches: test.branches, Output: "joined", Ended: 3},
			{Index: 1, Node: "z", Key: "fork#0/z/z#0", Output: "from z", Ended: 1},
			{Index: 2, Node: "a", Key: "fork#0/a/a#0", Output: "from a", Ended: 2},
		}}
		if got, err := seen.Eval(t.Context(), rec.Scope(-1, expr.Limits{})); err != nil || got != test.want {
			t.Errorf("branches %q: %v %v, want %s", test.branches, got, err, test.want)
		}
	}
}

// The steps of a graph that a step runs, at any attempt, are not branches of it.
func TestScopeAfterANestedGraph(t *testing.T) {
	seen, err := expr.Compile(`$join($sort($keys($)), " ")`)
	if err != nil {
		t.Fatal(err)
	}
	rec := &run.Record{Steps: []*run.StepRecord{
		{Index: 0, Node: "call", Key: "call#0", Output: "done", Ended: 3},
		{Index: 1, Node: "first", Key: "call#0/first#0", Output: 1.0, Ended: 1, Part: true},
		{Index: 2, Node: "again", Key: "call#0/#2/again#0", Output: 1.0, Ended: 2, Part: true},
	}}
	if got, err := seen.Eval(t.Context(), rec.Scope(-1, expr.Limits{})); err != nil || got != "call" {
		t.Errorf("%v %v, want call alone", got, err)
	}
}
