package app_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/internal/servers/models"
	"github.com/patchbay-mcp/patchbay/internal/tests/modeltest"
	"github.com/patchbay-mcp/patchbay/run"
)

// withModel is an app whose model "fast" answers as it is told.
func withModel(t *testing.T, pb *app.App, answer func(n int, r modeltest.Request) modeltest.Reply) *modeltest.Endpoint {
	t.Helper()
	e := &modeltest.Endpoint{Answer: answer}
	s := httptest.NewServer(e)
	t.Cleanup(s.Close)
	pb.SetModels([]models.Model{{Name: "fast", API: "openai", URL: s.URL + "/v1", Model: "test", Concurrency: 4, Timeout: time.Minute, MaxTokens: 100}})
	return e
}

func says(text string) func(int, modeltest.Request) modeltest.Reply {
	return func(int, modeltest.Request) modeltest.Reply { return modeltest.Reply{Text: text, In: 10, Out: 5} }
}

// A person is asked about a call that a model decides, whoever runs the graph and whatever is
// allowed, unless a person who answers for the graph trusts it.
func TestModelsPermitNothing(t *testing.T) {
	h := newHinted()
	pb := overWith(t, app.Options{Calls: config.Calls{Allow: []string{"files/*"}}}, nil, h.server)
	e := withModel(t, pb, says("a"))
	graph := strings.Replace(calling("none"), "next: call}", "next: ask}\n  - {id: ask, type: model, model: fast, prompt: Which?, next: call}", 1)
	graph = strings.Replace(graph, "$.entry.path", "$.ask", 1)
	trusted := strings.Replace(graph, "tool: none,", "tool: none, trusted: true,", 1)
	if r, fault := pb.Run(operator(t), execution.RunInput{GraphInput: plans.FromText("calling.yaml", trusted, "")}); doubtCode(r, fault) != "" || h.calls["none"].Load() != 1 {
		t.Errorf("a person's, trusted: %+v, %v", r, fault)
	}
	if r, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: text(trusted)}}); doubtCode(r, fault) != run.NeedsAnswer {
		t.Errorf("an agent's, trusted: %+v, %v", r, fault)
	}
	r, fault := pb.Run(operator(t), execution.RunInput{GraphInput: plans.FromText("calling.yaml", graph, "")})
	if doubtCode(r, fault) != run.NeedsAnswer || len(r.Asks) != 1 || !strings.Contains(r.Asks[0].Message, `What a model has answered decides that or how it is called. The arguments: {"path":"a"}`) || h.calls["none"].Load() != 1 {
		t.Fatalf("%+v, %v", r, fault)
	}
	asked := len(e.Requests())
	r, fault = pb.Answer(operator(t), execution.AnswerInput{RunID: r.RunID, Action: "accept"})
	if fault != nil || string(r.Result) != `{"path":"a"}` || h.calls["none"].Load() != 2 || len(e.Requests()) != asked {
		t.Errorf("%+v, %v: %d calls, the model was asked %d times more", r, fault, h.calls["none"].Load(), len(e.Requests())-asked)
	}
}

// A request that a model decides is asked about by the place to which it goes.
func TestRequestOfAModel(t *testing.T) {
	got := make(chan string, 1)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got <- string(b)
	}))
	defer s.Close()
	allow, err := egress.ParsePrefix(s.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	pb := overWith(t, app.Options{Egress: egress.New(&egress.Options{Policy: egress.Policy{Allow: []egress.Prefix{allow}}})}, nil)
	withModel(t, pb, says("a"))
	r, fault := pb.Run(operator(t), execution.RunInput{GraphInput: plans.FromText("post.yaml", `
nodes:
  - {id: entry, type: entry, next: ask}
  - {id: ask, type: model, model: fast, prompt: Which?, next: post}
  - {id: post, type: http, method: POST, url: `+s.URL+`/x, body: {expr: $.ask}, next: exit}
  - {id: exit, type: exit}
`, "")})
	if doubtCode(r, fault) != run.NeedsAnswer || !strings.HasPrefix(r.Asks[0].Message, "Allow requests POST "+s.URL+"? ") || len(got) != 0 {
		t.Fatalf("%+v, %v", r, fault)
	}
	if r, fault = pb.Answer(operator(t), execution.AnswerInput{RunID: r.RunID, Action: "accept"}); doubtCode(r, fault) != "" || <-got != "a" {
		t.Errorf("%+v, %v", r, fault)
	}
}
