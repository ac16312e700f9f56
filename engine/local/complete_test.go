package local_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
)

const withEverything = `
executionLimits: {maxNodeExecutions: 5000}
nodes:
  - {id: entry, type: entry, next: loop}
  - {id: loop, type: transform, transform: {expr: '{"n": $executionCount("loop"), "at": $millis(), "r": $random()}'}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: $.loop.n}, 5]}, next: loop}], next: fork}
  - {id: fork, type: parallel, branches: [left, right], join: each}
  - {id: left, type: transform, transform: {expr: '{"l": $.loop.r}'}, next: each}
  - {id: right, type: mcp, server: s, tool: put, args: {n: {expr: $.loop.n}}, next: each}
  - {id: each, type: transform, transform: {expr: '$item * 2'}, foreach: {items: {expr: '[1..4]'}, concurrency: 2}, next: none}
  - {id: none, type: transform, transform: {expr: '1'}, foreach: {items: {expr: '[]'}}, next: exit}
  - {id: exit, type: exit, result: {expr: '{"each": $.each, "left": $.left.l, "n": $.right.n}'}}
`

type echo struct{}

func (echo) CallTool(_ context.Context, c run.Call) (*run.Result, error) {
	return &run.Result{Structured: c.Args}, nil
}

// TestComplete: whatever is not kept of the steps that follow from the rest is
// computed again as it was, and nothing is called.
func TestComplete(t *testing.T) {
	doc, found := graph.Parse("g.yaml", withEverything)
	plan, more := engine.Compile(doc, "", engine.Env{})
	if found = append(found, more...); found.HasErrors() {
		t.Fatal(found)
	}
	whole := local.Run(t.Context(), plan, echo{}, nil, local.Options{})
	if whole.Fault != nil {
		t.Fatal(whole.Fault)
	}
	less := *whole
	less.Steps = append([]run.StepRecord{}, whole.Steps...)
	lost := 0
	for i := range less.Steps {
		if step := &less.Steps[i]; step.Follows() {
			step.Input, step.Output, step.Lost = nil, nil, true
			lost++
		}
	}
	if lost < 15 {
		t.Fatalf("only %d steps follow from the rest", lost)
	}
	local.Complete(t.Context(), plan, &less)
	if diff := cmp.Diff(shown(whole), shown(&less)); diff != "" {
		t.Errorf("computed again (-was +is):\n%s", diff)
	}
}

// shown is what the steps of a run came to, by key.
func shown(rec *run.Record) map[string]string {
	out := map[string]string{}
	for _, s := range rec.Steps {
		in, _ := expr.Encode(s.Input)
		b, _ := expr.Encode(s.Output)
		out[s.Key] = fmt.Sprint(s.Lost, s.Ended, string(in), " ", string(b))
	}
	return out
}
