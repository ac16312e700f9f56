package app_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/run"
)

// get_run names what somebody has to find out: the call of unknown outcome, and not
// those of which the outcome is known.
func TestGetRunShowsCallsOfUnknownOutcome(t *testing.T) {
	const send = `
nodes:
  - {id: entry, type: entry, next: first}
  - {id: first, type: mcp, server: s, tool: send, args: {n: 1}, next: second}
  - {id: second, type: mcp, server: s, tool: send, args: {n: 2}, next: exit}
  - {id: exit, type: exit}
`
	w := newWrecks(t)
	r := wreck("run", "p", send)
	r.Steps = []*run.StepRecord{
		{Index: 0, Node: "entry", Type: "entry", Key: "entry#0", Pure: true, Ended: 1},
		{Index: 1, Node: "first", Type: "mcp", Key: "first#0", Ended: 2},
		{Index: 2, Node: "second", Type: "mcp", Key: "second#0"},
	}
	for step, n := range map[string]string{"first#0": "1", "second#0": "2"} {
		detail, _ := json.Marshal(run.Called{Server: "s", Tool: "send", Arguments: json.RawMessage(`{"n":` + n + `}`), Idempotency: "key" + n})
		r.Intents = append(r.Intents, run.Intent{Key: step + "/call", Step: step, Kind: run.IntentCall, Detail: detail})
	}
	w.leave(r)
	pb := overWith(t, w.options(), nil)
	got, fault := pb.GetRun(request.WithActor(t.Context(), run.Actor{Operator: true}), execution.GetRunInput{RunID: "run"})
	if fault != nil {
		t.Fatal(fault)
	}
	want := []run.Called{{Step: "second#0", Server: "s", Tool: "send", Arguments: json.RawMessage(`{"n":2}`), Idempotency: "key2"}}
	if diff := cmp.Diff(want, got.UnknownCalls); diff != "" {
		t.Errorf("unknown calls (-want +got):\n%s", diff)
	}
}

// The reply of a run that failed after its call was completed names the step that needs
// a decision, and a retry without a step does not make the call again.
func TestReplyAfterACompletedCall(t *testing.T) {
	calls := 0
	s := mcp.NewServer(&mcp.Implementation{Name: "mail", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "send", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		calls++
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("x", 1000)}}}, nil
	})
	pb := overWith(t, app.Options{Limits: run.Limits{MaxResultBytes: 500}}, nil, downstream.Server{Name: "mail", InProcess: s})
	r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText("g", "nodes: [{id: entry, type: entry, next: send}, {id: send, type: mcp, server: mail, tool: send, args: {n: 1}, next: exit}, {id: exit, type: exit}]", "")})
	if fault != nil {
		t.Fatal(fault)
	}
	got, fault := pb.GetRun(t.Context(), execution.GetRunInput{RunID: r.RunID})
	if fault != nil {
		t.Fatal(fault)
	}
	_, replied := r.ToolReply()
	for who, reply := range map[string]struct {
		status, hint string
		calls        []run.Called
	}{"run_graph": {r.Status, r.Hint, r.UnknownCalls}, "get_run": {got.Status, got.Hint, got.UnknownCalls}, "a graph's tool": {r.Status, replied.Hint, r.UnknownCalls}} {
		if reply.status != "failed" || !strings.Contains(reply.hint, "send#0") || !strings.Contains(reply.hint, "not by a retry without a step") {
			t.Errorf("%s: %s, %q", who, reply.status, reply.hint)
		}
		if c := reply.calls; len(c) != 1 || c[0].Step != "send#0" || !c[0].Completed || !strings.Contains(c[0].Failure, "1002 bytes") || c[0].Idempotency == "" || string(c[0].Arguments) != `{"n":1}` {
			t.Errorf("%s: %+v", who, c)
		}
	}
	r, fault = pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: r.RunID, Decision: "retry"})
	if fault != nil || r.Status != "interrupted" || r.Error.Code != run.OutcomeUnknown || !strings.Contains(r.Error.Message, "mail/send") || calls != 1 {
		t.Errorf("retry: %v, %+v after %d calls", fault, r, calls)
	}
	if _, fault := pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: r.RunID, Decision: "retry"}); fault == nil || fault.Code != "which-step" || calls != 1 {
		t.Errorf("retry again: %v after %d calls", fault, calls)
	}
	r, fault = pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: r.RunID, Decision: "pin", Step: "send#0", Pin: json.RawMessage(`"sent"`)})
	if fault != nil || r.Status != "succeeded" || calls != 1 {
		t.Errorf("pin: %v, %+v after %d calls", fault, r, calls)
	}
}

// A POST that is lost, or that a gateway answers, is made once; one that its server
// refuses is made again by a retry.
func TestRetryOfARequest(t *testing.T) {
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		code   string // after the retry
		want   int32  // requests then
	}{
		"lost":    {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, run.OutcomeUnknown, 1},
		"gateway": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGatewayTimeout) }, run.OutcomeUnknown, 1},
		"refused": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusConflict) }, "http-status", 2},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int32
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				test.answer(w, r)
			}))
			defer s.Close()
			allow, err := egress.ParsePrefix(s.URL)
			if err != nil {
				t.Fatal(err)
			}
			pb := overWith(t, app.Options{Egress: egress.New(&egress.Options{Policy: egress.Policy{Allow: []egress.Prefix{allow}}})}, nil)
			r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.FromText("g", "nodes: [{id: entry, type: entry, next: post}, {id: post, type: http, method: POST, url: '"+s.URL+"/x', next: exit}, {id: exit, type: exit}]", "")})
			if fault != nil || r.Status != "failed" || len(r.UnknownCalls) > 0 != (test.code == run.OutcomeUnknown) {
				t.Fatalf("%v, %+v", fault, r)
			}
			r, fault = pb.ResumeRun(t.Context(), execution.ResumeRunInput{RunID: r.RunID, Decision: "retry"})
			if fault != nil || r.Error.Code != test.code || requests.Load() != test.want {
				t.Errorf("retry: %v, %+v after %d requests", fault, r.Error, requests.Load())
			}
		})
	}
}
