package app_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

const twoSteps = `name: two_steps
description: Doubles and adds one
inputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
outputSchema: {type: object, properties: {n: {type: number}}, required: [n]}
nodes:
  - {id: entry, type: entry, next: doubled}
  - {id: doubled, type: transform, transform: {expr: $.entry.n * 2}, next: more}
  - {id: more, type: transform, transform: {expr: '{"n": $.doubled + 1}'}, next: exit}
  - {id: exit, type: exit}
`

func firstGraph(text string) plans.GraphInput { return plans.FromText("two_steps.yaml", text, "") }

// where is what a reply says of where a run is: its status and the paused node.
func where(r *execution.DebugResult) string {
	at := []string{r.Status}
	for _, p := range r.Paused {
		at = append(at, p.Node, p.Why)
	}
	return strings.Join(at, " ")
}

// TestDebugOperations: a run pauses at a breakpoint, shows what the node sees, evaluates on
// it, steps and continues; breakpoints can be replaced meanwhile.
func TestDebugOperations(t *testing.T) {
	pb := product(t)
	ctx := request.WithActor(t.Context(), run.Actor{Principal: "ann"})
	r, fault := pb.DebugRun(ctx, execution.DebugRunInput{GraphInput: firstGraph(twoSteps), Arguments: json.RawMessage(`{"n":4}`), Breakpoints: []string{"doubled"}})
	if fault != nil {
		t.Fatal(fault)
	}
	if got := where(r); got != "paused doubled breakpoint" || string(r.Paused[0].Context[0].Output) != `{"n":4}` {
		t.Fatalf("the run is %s: %+v", got, r)
	}
	list, _ := pb.DebugList(ctx, execution.DebugListInput{})
	if len(list.Runs) != 1 || list.Runs[0].RunID != r.RunID || where(&list.Runs[0]) != "paused doubled breakpoint" {
		t.Errorf("listed are %+v", list.Runs)
	}
	if v, fault := pb.DebugEvaluate(ctx, author.DebugEvaluateInput{RunID: r.RunID, Expression: json.RawMessage(`"entry.n + 1"`)}); fault != nil || string(v.Value) != "5" {
		t.Errorf("the value is %+v, %v", v, fault)
	}
	if _, fault := pb.DebugContinue(ctx, execution.DebugContinueInput{RunID: r.RunID, Breakpoints: []string{"nowhere"}}); doubtCode(nil, fault) != "unknown-node" {
		t.Errorf("a breakpoint on no node: %v", fault)
	}
	if _, fault := pb.DebugContinue(ctx, execution.DebugContinueInput{RunID: r.RunID, Step: "more#0"}); doubtCode(nil, fault) != "not-paused" {
		t.Errorf("a step that is not paused: %v", fault)
	}
	if r, fault = pb.DebugContinue(ctx, execution.DebugContinueInput{RunID: r.RunID, Action: "step", Breakpoints: []string{"exit"}}); fault != nil || where(r) != "paused more step" {
		t.Fatalf("after a step it is %+v, %v", r, fault)
	}
	if r, fault = pb.DebugContinue(ctx, execution.DebugContinueInput{RunID: r.RunID}); fault != nil || where(r) != "paused exit breakpoint" {
		t.Fatalf("at the next breakpoint it is %+v, %v", r, fault)
	}
	if r, fault = pb.DebugContinue(ctx, execution.DebugContinueInput{RunID: r.RunID}); fault != nil || r.Status != "succeeded" || string(r.Run.Result) != `{"n":9}` {
		t.Fatalf("at the end it is %+v, %v", r, fault)
	}
	if _, fault := pb.DebugContinue(ctx, execution.DebugContinueInput{RunID: r.RunID}); doubtCode(nil, fault) != "not-paused" {
		t.Errorf("a run that has ended continues: %v", fault)
	}
	if list, _ := pb.DebugList(ctx, execution.DebugListInput{}); len(list.Runs) != 0 {
		t.Errorf("a run that has ended is listed: %+v", list.Runs)
	}
}

// TestDebugIsForTheOwner: a paused run of somebody else cannot be seen, looked into or
// continued. Its owner can cancel it.
func TestDebugIsForTheOwner(t *testing.T) {
	pb := product(t)
	ann, bob := request.WithActor(t.Context(), run.Actor{Principal: "ann"}), request.WithActor(t.Context(), run.Actor{Principal: "bob"})
	r, fault := pb.DebugRun(ann, execution.DebugRunInput{GraphInput: firstGraph(twoSteps), Arguments: json.RawMessage(`{"n":4}`), Step: true})
	if fault != nil || where(r) != "paused entry step" {
		t.Fatalf("the run is %+v, %v", r, fault)
	}
	if list, _ := pb.DebugList(bob, execution.DebugListInput{RunID: r.RunID}); len(list.Runs) != 0 {
		t.Errorf("somebody else sees %+v", list.Runs)
	}
	if _, fault := pb.DebugEvaluate(bob, author.DebugEvaluateInput{RunID: r.RunID, Expression: json.RawMessage(`"$"`)}); doubtCode(nil, fault) != "not-paused" {
		t.Errorf("somebody else looks into it: %v", fault)
	}
	if _, fault := pb.DebugContinue(bob, execution.DebugContinueInput{RunID: r.RunID}); doubtCode(nil, fault) != "not-paused" {
		t.Errorf("somebody else continues it: %v", fault)
	}
	if _, fault := pb.CancelRun(bob, execution.CancelRunInput{RunID: r.RunID}); doubtCode(nil, fault) != "unknown-run" {
		t.Errorf("somebody else cancels it: %v", fault)
	}
	if c, fault := pb.CancelRun(ann, execution.CancelRunInput{RunID: r.RunID}); fault != nil || c.Status != "cancelled" {
		t.Errorf("its owner cancels it: %+v, %v", c, fault)
	}
}

// TestDebugRunThatDoesNotStart is not kept.
func TestDebugRunThatDoesNotStart(t *testing.T) {
	pb := product(t)
	ctx := request.WithActor(context.Background(), run.Actor{Principal: "ann"})
	wrong := strings.Replace(twoSteps, "next: more", "next: nowhere", 1)
	if r, fault := pb.DebugRun(ctx, execution.DebugRunInput{GraphInput: firstGraph(wrong), Step: true}); fault != nil || r.Status != "rejected" || len(r.Run.Diagnostics) == 0 {
		t.Errorf("a graph with a mistake is %+v, %v", r, fault)
	}
	if _, fault := pb.DebugRun(ctx, execution.DebugRunInput{GraphInput: firstGraph(twoSteps), Arguments: json.RawMessage(`{"n":1}`), Breakpoints: []string{"nowhere"}}); doubtCode(nil, fault) != "unknown-node" {
		t.Errorf("a breakpoint on no node: %v", fault)
	}
	if list, _ := pb.DebugList(ctx, execution.DebugListInput{}); len(list.Runs) != 0 {
		t.Errorf("listed are %+v", list.Runs)
	}
	cases := execution.RunInput{GraphInput: firstGraph(twoSteps), Cases: []execution.RunCase{{Arguments: json.RawMessage(`{"n":1}`)}}, Debugger: run.NewDebugger(nil, true, 0)}
	if _, fault := pb.Run(ctx, cases); doubtCode(nil, fault) != "bad-argument" {
		t.Errorf("cases are debugged: %v", fault)
	}
}
