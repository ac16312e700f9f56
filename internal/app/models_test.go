package app_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/internal/servers/models"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
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

const asksThrice = `
name: thrice
%s
nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: model, model: fast, prompt: Which?, maxTokens: 20, foreach: {items: [1, 2, 3]}, next: exit}
  - {id: exit, type: exit, result: {expr: $count($.each)}}
`

// A run stops before the request that could exceed a budget, parks, and continues where it was
// when the budget is raised.
func TestBudgetOfTokens(t *testing.T) {
	for limit, c := range map[string]struct {
		runs  int // that are complete before
		asked int // then, and by the one that stops
	}{"maxTokens: 66": {0, 2}, "maxTokensPerDay: 126": {2, 6}, "maxTokensPerDay: 110": {1, 5}} {
		t.Run(limit, func(t *testing.T) {
			file := t.TempDir() + "/runs.db"
			store := func() (runs.RunStore, error) { return journal.Open(file, nil) }
			pb := overWith(t, app.Options{Store: store, Project: "p"}, nil)
			e := withModel(t, pb, says("a"))
			graph := func(limit string) string { return fmt.Sprintf(asksThrice, "executionLimits: {"+limit+"}") }
			in := execution.RunInput{GraphInput: plans.FromText("thrice.yaml", graph(limit), "")}
			for range c.runs {
				if r, fault := pb.Run(operator(t), in); doubtCode(r, fault) != "" || r.Tokens.Sum() != 45 || fmt.Sprint(r.Tokens.Nodes) != "[{each 3 {30 15 false}}]" {
					t.Fatalf("%+v, %v: %+v", r, fault, r.Tokens)
				}
			}
			r, fault := pb.Run(operator(t), in)
			if doubtCode(r, fault) != run.BudgetExceeded || r.Status != string(run.Interrupted) || len(e.Requests()) != c.asked {
				t.Fatalf("%+v, %v after %d requests", r, fault, len(e.Requests()))
			}
			if again, fault := pb.ResumeRun(operator(t), execution.ResumeRunInput{RunID: r.RunID, Decision: "retry"}); doubtCode(again, fault) != run.BudgetExceeded || len(e.Requests()) != c.asked {
				t.Fatalf("%+v, %v after %d requests", again, fault, len(e.Requests()))
			}
			r, fault = pb.ResumeRun(operator(t), execution.ResumeRunInput{RunID: r.RunID, Decision: "retry", Graph: text(graph("maxTokens: 1000"))})
			if doubtCode(r, fault) != "" || string(r.Result) != "3" || len(e.Requests()) != 3*c.runs+3 {
				t.Errorf("%+v, %v after %d requests", r, fault, len(e.Requests()))
			}
		})
	}
}

// What the operator allows bounds every graph, and a new process with a higher ceiling
// continues the runs that have stopped at it.
func TestCeilingOfTokens(t *testing.T) {
	file := t.TempDir() + "/runs.db"
	store := func() (runs.RunStore, error) { return journal.Open(file, nil) }
	pb := overWith(t, app.Options{Store: store, Project: "p", Limits: run.Limits{MaxTokens: 66}}, nil)
	e := withModel(t, pb, says("a"))
	r, fault := pb.Run(operator(t), execution.RunInput{GraphInput: plans.FromText("thrice.yaml", fmt.Sprintf(asksThrice, ""), "")})
	if doubtCode(r, fault) != run.BudgetExceeded || len(e.Requests()) != 2 {
		t.Fatalf("%+v, %v after %d requests", r, fault, len(e.Requests()))
	}
	pb.Close()
	pb = overWith(t, app.Options{Store: store, Project: "p"}, nil)
	e = withModel(t, pb, says("a"))
	h := &heard{ends: make(chan string, 1)}
	pb.AddMetrics(h)
	pb.Recover()
	<-h.ends
	got, fault := pb.GetRun(operator(t), execution.GetRunInput{RunID: r.RunID})
	if fault != nil || got.Status != string(run.Succeeded) || len(e.Requests()) != 1 || got.Tokens.Sum() != 45 {
		t.Errorf("it does not continue: %+v, %v after %d requests", got, fault, len(e.Requests()))
	}
}

// Who looks for what a model does finds the node, also among the tools of many servers.
func TestModelNodeIsFound(t *testing.T) {
	for name, pb := range map[string]*app.App{"alone": openedWith(t), "among 300 tools": withShelf(t)} {
		for _, query := range []string{"summarise", "translate", "classify", "extract fields from text", "ask an LLM"} {
			if ids, _ := found(t, pb, discover.SearchInput{Query: query}); !slices.Contains(ids[:min(3, len(ids))], "model") {
				t.Errorf("%s: %q finds %q", name, query, ids)
			}
		}
	}
}
