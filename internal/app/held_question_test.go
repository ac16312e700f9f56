package app_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// older is a server of 2025-11-25 with a tool that asks during its call. The result is what
// it was answered.
func older(during ...func(ctx context.Context)) downstream.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{SupportedProtocolVersions: []string{"2025-11-25"}})
	s.AddTool(&mcp.Tool{Name: "ask", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, f := range during {
			f(ctx)
		}
		answer, err := r.Session.Elicit(ctx, form("How many?"))
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{StructuredContent: map[string]any{"action": answer.Action, "content": answer.Content}}, nil
	})
	return downstream.Server{Name: "s", InProcess: s}
}

const (
	asksHowMany = "The server s asks, for a call of its tool ask: How many?"
	noAnswer    = `{"action":"cancel","content":null}`
)

// answering is the context of a person who has the questions of calls answered.
func answering(t testing.TB) context.Context {
	return request.WithClient(operator(t), request.Client{Answers: true})
}

// What a server of an older revision asks during a call holds the call: the run is shown
// with the question wherever runs are shown, and another process answers it.
func TestACallWaitsForAPerson(t *testing.T) {
	file := t.TempDir() + "/runs.db"
	open := func(servers ...downstream.Server) *app.App {
		return overWith(t, app.Options{Project: "p", Store: func() (runs.RunStore, error) { return journal.Open(file, nil) }}, nil, servers...)
	}
	pb, other := open(older()), open()
	for answer, want := range map[string]string{
		`accept {"z":7}`: `{"action":"accept","content":{"z":7}}`,
		"decline ":       `{"action":"decline","content":null}`,
		"cancel ":        noAnswer,
	} {
		r, fault := pb.Run(answering(t), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(callingAsk)}})
		if fault != nil || r.Status != "running" || len(r.Asks) != 1 || r.Asks[0].Message != asksHowMany || r.Asks[0].Server != "s" || r.Asks[0].Until == "" || !strings.Contains(r.Hint, "patchbay runs answer "+r.RunID) {
			t.Fatalf("%+v, %v", r, fault)
		}
		for _, pb := range []*app.App{pb, other} {
			listed, fault := pb.Runs(operator(t), execution.RunsInput{Status: "running"})
			if fault != nil || len(listed.Runs) != 1 || listed.Runs[0].Code != run.NeedsAnswer || !strings.HasSuffix(listed.Runs[0].Message, asksHowMany) {
				t.Errorf("%+v, %v", listed, fault)
			}
			shown, fault := pb.GetRun(operator(t), execution.GetRunInput{RunID: r.RunID})
			if fault != nil || len(shown.Asks) != 1 || !strings.Contains(shown.Hint, "runs answer") {
				t.Errorf("%+v, %v", shown, fault)
			}
		}
		if _, fault := other.ResumeRun(request.WithActor(t.Context(), run.Actor{Principal: "local"}), execution.ResumeRunInput{RunID: r.RunID, Decision: "skip"}); doubtCode(nil, fault) != "run-busy" {
			t.Errorf("an agent skips it: %v", fault)
		}
		action, content, _ := strings.Cut(answer, " ")
		if action == "accept" {
			if _, fault := other.Answer(operator(t), execution.AnswerInput{RunID: r.RunID, Action: action, Content: json.RawMessage(`{"z":"many"}`)}); doubtCode(nil, fault) != "bad-argument" {
				t.Errorf("a wrong answer: %v", fault)
			}
		}
		r, fault = other.Answer(operator(t), execution.AnswerInput{RunID: r.RunID, Action: action, Content: json.RawMessage(content)})
		if fault != nil || r.Status != "succeeded" || string(r.Result) != want {
			t.Errorf("%s: %s %+v, %v, want %s", answer, r.Result, r, fault, want)
		}
		if _, fault := other.Answer(operator(t), execution.AnswerInput{RunID: r.RunID, Action: action}); doubtCode(nil, fault) != "not-resumable" {
			t.Errorf("a second answer: %v", fault)
		}
	}
}

// The questions of a call that nobody answers in time, or in which nobody is asked, are
// answered for the person.
func TestNobodyAnswersACall(t *testing.T) {
	pb := overWith(t, app.Options{MaxHeld: time.Nanosecond}, nil, older())
	r, fault := pb.Run(operator(t), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(callingAsk)}})
	if fault != nil || string(r.Result) != noAnswer {
		t.Errorf("time is over: %s %+v, %v", r.Result, r.Error, fault)
	}
	pb = overWith(t, app.Options{MaxHeld: time.Hour}, nil, older())
	r, fault = pb.Run(operator(t), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(callingAsk)}, Cases: []execution.RunCase{{Expect: json.RawMessage(`{"action":"decline","content":null}`)}}})
	if fault != nil || r.Cases.Passed != 1 {
		t.Errorf("a case: %+v, %v", r.Cases, fault)
	}
}

// A person who starts a run without being asked in it is told of the question; so is
// links.notify.
func TestQuestionsOfCallsAreReported(t *testing.T) {
	pb := overWith(t, app.Options{}, nil, older())
	told := make(chan *run.Record, 10)
	ctx := request.WithClient(operator(t), request.Client{OnQuestion: func(rec *run.Record) { told <- rec }})
	done := make(chan *execution.RunNodeResult, 1)
	go func() {
		r, fault := pb.RunNode(ctx, execution.RunNodeInput{ID: "mcp:s/ask"})
		if fault != nil {
			t.Error(fault)
		}
		done <- r
	}()
	rec := <-told
	if list := execution.AsksOf(rec); len(list) != 1 || list[0].Message != asksHowMany {
		t.Errorf("%+v", list)
	}
	if _, fault := pb.Answer(operator(t), execution.AnswerInput{RunID: rec.ID, Action: "decline"}); fault != nil {
		t.Error(fault)
	}
	if r := <-done; r.Status != "succeeded" || !strings.Contains(string(r.Output), "decline") {
		t.Errorf("%s %+v", r.Output, r.Error)
	}
}

// A process that ends while a call waits leaves a call of unknown outcome, and no question.
func TestTheProcessEndsWhileACallWaits(t *testing.T) {
	file := t.TempDir() + "/runs.db"
	open := func() *app.App {
		return overWith(t, app.Options{Project: "p", Store: func() (runs.RunStore, error) { return journal.Open(file, nil) }}, nil, older())
	}
	pb := open()
	r, fault := pb.Run(answering(t), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(callingAsk)}})
	if fault != nil || len(r.Asks) != 1 {
		t.Fatalf("%+v, %v", r, fault)
	}
	pb.Close()
	pb = open()
	if _, fault := pb.Answer(operator(t), execution.AnswerInput{RunID: r.RunID, Action: "decline"}); doubtCode(nil, fault) != "not-asked" {
		t.Errorf("an answer: %v", fault)
	}
	again, fault := pb.ResumeRun(answering(t), execution.ResumeRunInput{RunID: r.RunID, Decision: "retry"})
	if doubtCode(again, fault) != run.OutcomeUnknown && (fault != nil || len(again.Asks) != 1) {
		t.Fatalf("%+v, %v", again, fault)
	}
	if again.Status == "interrupted" {
		again, fault = pb.ResumeRun(answering(t), execution.ResumeRunInput{RunID: r.RunID, Decision: "retry", Step: "call#0"})
	}
	if fault != nil || len(again.Asks) != 1 {
		t.Fatalf("it is asked again: %+v, %v", again, fault)
	}
	if again, fault = pb.Answer(operator(t), execution.AnswerInput{RunID: r.RunID, Action: "decline"}); fault != nil || again.Status != "succeeded" {
		t.Errorf("%+v, %v", again, fault)
	}
}

// Calls of two runs that ask at the same time are both answered.
func TestTwoCallsAskAtOnce(t *testing.T) {
	arrived, ask := make(chan struct{}), make(chan struct{})
	pb := overWith(t, app.Options{}, nil, older(func(context.Context) { arrived <- struct{}{}; <-ask }))
	results := make(chan *execution.RunResult, 2)
	for range 2 {
		go func() {
			r, fault := pb.Run(answering(t), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(callingAsk)}})
			if fault != nil {
				t.Error(fault)
			}
			results <- r
		}()
	}
	<-arrived
	<-arrived
	close(ask)
	for _, r := range []*execution.RunResult{<-results, <-results} {
		r, fault := pb.Tasks.Follow(answering(t), r.RunID, "none", nil)
		for fault == nil && len(r.Asks) > 0 {
			r, fault = pb.Answer(answering(t), execution.AnswerInput{RunID: r.RunID, Action: "accept", Content: json.RawMessage(`{"z":1}`)})
		}
		if fault != nil || r.Status != "succeeded" || !strings.Contains(string(r.Result), "accept") {
			t.Errorf("%+v, %v", r, fault)
		}
	}
}
