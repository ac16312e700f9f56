package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

const asking = `
name: approve
nodes:
  - {id: entry, type: entry, next: ask}
  - {id: ask, type: ask, message: {expr: '"Send " & $.entry.n & "?"'}, schema: {type: object, properties: {why: {type: string}}, required: [why]}, next: note}
  - {id: note, type: transform, transform: {expr: '{"said": $.ask.action, "why": $.ask.content.why, "at": $millis()}'}, next: exit}
  - {id: exit, type: exit}
`

func ran(t *testing.T, r *execution.RunResult, fault error, status run.Status) *execution.RunResult {
	t.Helper()
	if r == nil {
		t.Fatalf("no result: %v", fault)
	}
	if r.Status != string(status) {
		t.Fatalf("the run is %s (%v), want %s", r.Status, r.Error, status)
	}
	return r
}

// A question waits for a person: an agent can neither answer it nor leave it out.
func TestOnlyAPersonAnswers(t *testing.T) {
	pb := product(t)
	agent := request.WithActor(t.Context(), run.Actor{Principal: "agent"})
	r, fault := pb.Run(agent, execution.RunInput{GraphInput: plans.GraphInput{Graph: text(asking)}, Arguments: json.RawMessage(`{"n":3}`)})
	r = ran(t, r, fault, run.Interrupted)
	if len(r.Asks) != 1 || r.Asks[0].Message != "Send 3?" || !strings.Contains(string(r.Asks[0].Schema), "why") || !r.Failed() {
		t.Errorf("asks %+v", r.Asks)
	}
	for _, decision := range []string{"skip", "pin"} {
		if _, fault := pb.ResumeRun(agent, execution.ResumeRunInput{RunID: r.RunID, Decision: decision, Pin: json.RawMessage(`{"action":"accept"}`)}); fault == nil || fault.Code != "ask-a-person" {
			t.Errorf("%s by an agent: %v", decision, fault)
		}
	}
	without := strings.Replace(asking, `type: ask, message: {expr: '"Send " & $.entry.n & "?"'}, schema: {type: object, properties: {why: {type: string}}, required: [why]}`, `type: transform, transform: {expr: '{"action": "accept"}'}`, 1)
	if _, fault := pb.ResumeRun(agent, execution.ResumeRunInput{RunID: r.RunID, Decision: "retry", Graph: text(without)}); without == asking || fault == nil || fault.Code != "ask-a-person" {
		t.Errorf("a graph without the question, by an agent: %v", fault)
	}
	again, fault := pb.ResumeRun(agent, execution.ResumeRunInput{RunID: r.RunID, Decision: "retry"})
	ran(t, again, fault, run.Interrupted)
	if _, fault := pb.Answer(request.WithActor(t.Context(), run.Actor{Principal: "somebody"}), execution.AnswerInput{RunID: r.RunID, Action: "decline"}); fault == nil || fault.Code != "unknown-run" {
		t.Errorf("an answer to another's run: %v", fault)
	}
	if _, fault := pb.Answer(agent, execution.AnswerInput{RunID: r.RunID, Action: "accept", Content: json.RawMessage(`{}`)}); fault == nil || fault.Path != "/content/why" && fault.Path != "/content" {
		t.Errorf("an incomplete answer: %+v", fault)
	}
	done, fault := pb.Answer(agent, execution.AnswerInput{RunID: r.RunID, Action: "accept", Content: json.RawMessage(`{"why":"it is time"}`)})
	done = ran(t, done, fault, run.Succeeded)
	if !strings.Contains(string(done.Result), `"why":"it is time"`) {
		t.Errorf("result %s", done.Result)
	}
	if _, fault := pb.Answer(agent, execution.AnswerInput{RunID: r.RunID, Action: "decline"}); fault == nil {
		t.Error("a run that has succeeded was answered")
	}
}

func TestCancelAWaitingRun(t *testing.T) {
	pb := product(t)
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(asking)}, Arguments: json.RawMessage(`{"n":3}`)})
	r = ran(t, r, fault, run.Interrupted)
	c, fault := pb.CancelRun(t.Context(), execution.CancelRunInput{RunID: r.RunID})
	if fault != nil || c.Status != "cancelled" {
		t.Errorf("%+v %v", c, fault)
	}
}

// A run that is done again with its recorded results takes the same path to the
// same outputs, the time included; made a test, it fails when the graph changes.
func TestReplayAndRegression(t *testing.T) {
	pb := product(t)
	src := `
name: look
nodes:
  - {id: entry, type: entry, next: pause}
  - {id: pause, type: wait, ms: 1, next: each}
  - {id: each, type: mcp, server: workspace, tool: list_directory, args: {path: .}, foreach: {items: [1, 2]}, next: again}
  - {id: again, type: switch, conditions: [{rule: {"<": [{var: '$executionCount("each")'}, 2]}, next: each}], next: sum}
  - {id: sum, type: transform, transform: {expr: '{"n": $count($.each), "at": $millis(), "luck": $random()}'}, next: exit}
  - {id: exit, type: exit}
`
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText("look.yaml", src, "")})
	r = ran(t, r, fault, run.Succeeded)
	again, fault := pb.ReplayRun(t.Context(), execution.ReplayRunInput{RunID: r.RunID})
	if fault != nil || !again.Same || again.Steps != r.NodeExecutions {
		t.Fatalf("%+v %v", again, fault)
	}
	saved, fault := pb.SaveTest(t.Context(), library.SaveTestInput{RunID: r.RunID})
	if fault != nil {
		t.Fatal(fault)
	}
	if got := pb.Tests.Run(t.Context(), execution.TestInput{Text: saved.Test})[0]; !got.Passed {
		t.Errorf("the test of an unchanged graph: %+v %v\n%s", got, got.Error, saved.Test)
	}
	for _, change := range [][2]string{{`$count($.each)`, `$count($.each) + 1`}, {`{"<":`, `{"<=":`}} {
		changed := strings.Replace(saved.Test, change[0], change[1], 1)
		if changed == saved.Test {
			t.Fatalf("no %s in\n%s", change[0], saved.Test)
		}
		if got := pb.Tests.Run(t.Context(), execution.TestInput{Text: changed})[0]; got.Passed || len(got.Differences) == 0 {
			t.Errorf("the test after %q: %+v %v", change, got, got.Error)
		}
	}
}
