package engine_test

import (
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// long takes thousands of steps, so that the clock is looked at several times.
const long = `
nodes:
  - {id: entry, type: entry, next: sum}
  - {id: sum, type: transform, transform: {expr: '$sum([1..20000].($ * 2))'}, next: big}
  - {id: big, type: switch, conditions: [{rule: {">": [{var: '$sum([1..20000].($ - 1))'}, 3]}, next: exit}], next: exit}
  - {id: exit, type: exit, result: {expr: $.sum}}
`

// noTime is a limit that every look at the clock exceeds.
var noTime = run.Limits{MaxExpressionTime: time.Nanosecond}

// A replay, and what computes lost values of a run, is not ended by the clock: it comes
// to what is recorded, however slow the machine has become.
func TestReplaysHaveNoTimeForExpressions(t *testing.T) {
	plan := compile(t, long, engine.Env{})
	rec := local.Run(t.Context(), plan, nil, nil, local.Options{})
	if rec.Fault != nil {
		t.Fatal(rec.Fault)
	}
	rec.Options.Limits = noTime
	if again := local.Replay(t.Context(), plan, rec); again.Fault != nil || len(local.Compare(rec, again)) > 0 {
		t.Errorf("the replay ends with %v: %v", again.Fault, local.Compare(rec, again))
	}
	for i := range rec.Steps {
		if e := plan.Evaluations(t.Context(), rec, i); len(e) > 0 && e[0].Err != nil {
			t.Errorf("%s: %v", rec.Steps[i].Key, e[0].Err)
		}
	}
	for _, step := range rec.Steps {
		if step.Follows() {
			step.Input, step.Output, step.Lost = nil, nil, true
		}
	}
	local.Complete(t.Context(), plan, rec)
	for _, step := range rec.Steps {
		if step.Node == "sum" && (step.Lost || step.Output == nil) {
			t.Errorf("the output of %s is still lost", step.Key)
		}
	}
}

// An expression that the clock has ended is recorded as such, and a replay takes its end
// from the record: on a faster machine it would end otherwise.
func TestExpressionsEndedByTimeAreRecorded(t *testing.T) {
	plan := compile(t, long, engine.Env{})
	rec := local.Run(t.Context(), plan, nil, nil, local.Options{Options: run.Options{Limits: noTime}})
	if rec.Fault == nil || rec.Fault.Code != run.ExpressionTimeout || rec.Fault.Node != "sum" || rec.Fault.Hint == "" {
		t.Fatalf("the run ends with %v", rec.Fault)
	}
	rec.Options.Limits = run.Limits{}
	if again := local.Replay(t.Context(), plan, rec); len(local.Compare(rec, again)) > 0 {
		t.Errorf("the replay differs: %v", local.Compare(rec, again))
	}
	for i, step := range rec.Steps {
		if e := plan.Evaluations(t.Context(), rec, i); step.Node == "sum" && (len(e) != 1 || e[0].Err == nil) {
			t.Errorf("the expression of the step shows %v", e)
		}
	}
	caught := compile(t, `
nodes:
  - {id: entry, type: entry, next: sum}
  - {id: sum, type: mcp, server: s, tool: put, args: {n: {expr: '$sum([1..20000].($ * 2))'}}, onError: other, next: exit}
  - {id: other, type: transform, transform: {expr: '"caught"'}, next: exit}
  - {id: exit, type: exit}
`, engine.Env{})
	rec = local.Run(t.Context(), caught, &flaky{}, nil, local.Options{Options: run.Options{Limits: noTime}})
	rec.Options.Limits = run.Limits{}
	if again := local.Replay(t.Context(), caught, rec); rec.Fault != nil || len(local.Compare(rec, again)) > 0 || expr.Type(again.Result) != "string" {
		t.Errorf("%v; the replay differs: %v", rec.Fault, local.Compare(rec, again))
	}
}
