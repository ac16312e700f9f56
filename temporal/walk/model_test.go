package walk_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// A run stops before the request to a model that could exceed its budget, and continues with the
// replies that it has when that is raised.
func TestBudgetOfTokens(t *testing.T) {
	asked := 0
	s := &site{tools: map[string]func(context.Context, run.Call) (*run.Result, error){"fast": func(context.Context, run.Call) (*run.Result, error) {
		asked++
		b, err := json.Marshal(run.ModelReply{Text: "a", Tokens: run.Tokens{Input: 10, Output: 5}})
		return &run.Result{Structured: b}, err
	}}}
	text := graphOf("each", "{id: each, type: model, model: fast, prompt: Which?, maxTokens: 20, foreach: {items: [1, 2, 3]}, next: sum}", "{id: sum, type: transform, transform: {expr: $count($.each)}, next: exit}")
	e := newTrial(t, text, s, nil)
	e.in.Record.Options.Limits.MaxTokens = 66
	e.RegisterDelayedCallback(func() {
		v, err := e.QueryWorkflow(wire.QueryRecord)
		var rec wire.Record
		if err == nil {
			err = v.Get(&rec)
		}
		if err != nil || rec.Fault == nil || rec.Fault.Code != run.BudgetExceeded || asked != 2 {
			t.Errorf("%v, %v after %d requests", err, rec.Fault, asked)
		}
		e.CancelWorkflow()
	}, 1000000000)
	rec, _ := e.once()
	failed(t, rec, run.Cancelled, "cancelled")
	again := newTrial(t, text, s, nil)
	if fault := rec.Decide(run.Decision{Do: "retry"}, rec.Ended); fault != nil {
		t.Fatal(fault)
	}
	again.in.Record.Record, again.in.Resume = *rec, true
	again.in.Record.Options.Limits.MaxTokens = 1000
	if rec := again.run(); asked != 3 {
		t.Errorf("%v after %d requests", rec.Fault, asked)
	} else {
		result(t, rec, "3")
	}
}
