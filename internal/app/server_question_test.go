package app_test

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// form is what a server asks.
func form(message string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Mode: "form", Message: message, RequestedSchema: json.RawMessage(`{"type":"object","properties":{"z":{"type":"integer"},"a":{"type":"string","title":"with a hidden\u200b character"}},"required":["z"]}`)}
}

// inquisitive is a server of 2026-07-28 that asks before it makes a call: two questions,
// and after them a third. Its result is what it was answered.
func inquisitive(calls chan<- string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "ask", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		calls <- r.Params.RequestState
		answers, _ := json.Marshal(r.Params.InputResponses)
		switch r.Params.RequestState {
		case "":
			return &mcp.CallToolResult{RequestState: "one", InputRequests: mcp.InputRequestMap{"first": form("How many?"), "second": form("Which?")}}, nil
		case "one":
			return &mcp.CallToolResult{RequestState: "two " + string(answers), InputRequests: mcp.InputRequestMap{"third": form("Sure?\u202e")}}, nil
		}
		return &mcp.CallToolResult{StructuredContent: map[string]any{"state": r.Params.RequestState, "answers": json.RawMessage(answers)}}, nil
	})
	return s
}

const callingAsk = `
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: s, tool: ask, args: {}, next: exit}
  - {id: exit, type: exit}
`

// What a server asks before it makes a call waits for a person, also across restarts; then
// the call is made with the answers, as they are.
func TestServersAskBeforeACall(t *testing.T) {
	calls := make(chan string, 10)
	file := t.TempDir() + "/runs.db"
	open := func() *app.App {
		return overWith(t, app.Options{Project: "p", Store: func() (runs.RunStore, error) { return journal.Open(file, nil) }}, nil, downstream.Server{Name: "s", InProcess: inquisitive(calls)})
	}
	pb := open()
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(callingAsk)}})
	steps := []struct {
		asks, action, content string
	}{
		{"The server s asks, for a call of its tool ask: How many?", "accept", `{"z":7}`},
		{"The server s asks, for a call of its tool ask: Which?", "decline", ""},
		{`The server s asks, for a call of its tool ask: Sure?\u202e`, "cancel", ""},
	}
	for _, step := range steps {
		if doubtCode(r, fault) != run.NeedsAnswer || len(r.Asks) != 1 || r.Asks[0].Message != step.asks || r.Asks[0].Server != "s" {
			t.Fatalf("it asks %+v, %v, want %s", r, fault, step.asks)
		}
		if want := `{"type":"object","properties":{"z":{"type":"integer"},"a":{"type":"string","title":"with a hidden\\u200b character"}},"required":["z"]}`; string(r.Asks[0].Schema) != want {
			t.Errorf("the schema is %s", r.Asks[0].Schema)
		}
		for _, do := range []string{"skip", "pin"} {
			if _, fault := pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: r.RunID, Decision: do, Pin: json.RawMessage(`{}`)}); fault == nil || fault.Code != "ask-a-person" {
				t.Errorf("%s: %v", do, fault)
			}
		}
		pb.Close()
		pb = open()
		r, fault = pb.Answer(operator(t), execution.AnswerInput{RunID: r.RunID, Action: step.action, Content: json.RawMessage(step.content)})
	}
	want := `{"answers":{"third":{"action":"cancel"}},"state":"two {\"first\":{\"action\":\"accept\",\"content\":{\"z\":7}},\"second\":{\"action\":\"decline\"}}"}`
	if fault != nil || string(r.Result) != want {
		t.Fatalf("%s %+v, %v", r.Result, r.Error, fault)
	}
	for _, want := range []string{"", "one", "two"} {
		if state := <-calls; !strings.HasPrefix(state, want) {
			t.Errorf("called with %q, want %q", state, want)
		}
	}
	if len(calls) > 0 {
		t.Errorf("%d more calls", len(calls))
	}
	if replayed, fault := pb.ReplayRun(operator(t), execution.ReplayRunInput{RunID: r.RunID}); fault != nil || len(replayed.Differences) > 0 {
		t.Errorf("the replay: %+v, %v", replayed, fault)
	}
}

// What nobody can be asked is an error of the server's.
func TestServersAskWhatNobodyCanAnswer(t *testing.T) {
	for what, ask := range map[string]*mcp.CallToolResult{
		"a page":         {InputRequests: mcp.InputRequestMap{"x": &mcp.ElicitParams{Mode: "url", URL: "https://a.example", ElicitationID: "1", Message: "Open"}}},
		"sampling":       {InputRequests: mcp.InputRequestMap{"x": &mcp.CreateMessageParams{MaxTokens: 1, Messages: []*mcp.SamplingMessage{}}}},
		"nothing":        {RequestState: "later", InputRequests: mcp.InputRequestMap{}},
		"a list":         {InputRequests: mcp.InputRequestMap{"x": &mcp.ElicitParams{Mode: "form", Message: "m", RequestedSchema: json.RawMessage(`{"type":"array"}`)}}},
		"a large schema": {InputRequests: mcp.InputRequestMap{"x": &mcp.ElicitParams{Mode: "form", Message: "m", RequestedSchema: json.RawMessage(`{"type":"object","title":"` + strings.Repeat("x", 70_000) + `"}`)}}},
		"a large state":  {RequestState: strings.Repeat("x", 300_000), InputRequests: mcp.InputRequestMap{"x": form("m")}},
		"input for ever": nil,
	} {
		t.Run(what, func(t *testing.T) {
			s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
			n := 0
			s.AddTool(&mcp.Tool{Name: "ask", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				if ask != nil {
					return ask, nil
				}
				n++
				return &mcp.CallToolResult{RequestState: strconv.Itoa(n), InputRequests: mcp.InputRequestMap{"x": &mcp.ElicitParams{Mode: "form", Message: "again?"}}}, nil
			})
			pb := startedOver(t, app.Options{}, map[string]*mcp.Server{"s": s})
			r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(callingAsk)}})
			for i := 0; doubtCode(r, fault) == run.NeedsAnswer && ask == nil && i < 30; i++ {
				r, fault = pb.Answer(operator(t), execution.AnswerInput{RunID: r.RunID, Action: "accept"})
			}
			if code := doubtCode(r, fault); code != "bad-result" && code != "call-refused" {
				t.Errorf("%+v, %v", r, fault)
			}
		})
	}
}
