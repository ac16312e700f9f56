package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/internal/servers/models"
	"github.com/patchbay-mcp/patchbay/internal/tests/modeltest"
	"github.com/patchbay-mcp/patchbay/run"
)

// modelCaller asks an endpoint of the test.
type modelCaller struct {
	*modeltest.Endpoint
	model *models.Endpoint
}

func newModel(t *testing.T, api string, answer func(n int, r modeltest.Request) modeltest.Reply) *modelCaller {
	t.Helper()
	c := &modelCaller{Endpoint: &modeltest.Endpoint{Answer: answer}}
	s := httptest.NewServer(c.Endpoint)
	t.Cleanup(s.Close)
	client := egress.New(nil)
	t.Cleanup(client.Close)
	c.model = models.New(models.Model{Name: "fast", API: api, URL: s.URL + "/v1", Model: "test", Concurrency: 4, Timeout: time.Minute, MaxTokens: 100}, client.APITransport(s.URL))
	return c
}

func (c *modelCaller) CallTool(ctx context.Context, call run.Call) (*run.Result, error) {
	var asked run.ModelRequest
	if err := json.Unmarshal(call.Args, &asked); err != nil {
		return nil, err
	}
	reply, failed, status, err := c.model.Ask(ctx, &asked)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		return &run.Result{Structured: failed, IsError: true, Unknown: egress.FromGateway(status)}, nil
	}
	b, err := json.Marshal(reply)
	return &run.Result{Structured: b}, err
}

// modelPlan compiles a graph of one model node, "ask", with what is said of it.
func modelPlan(t *testing.T, node, result string) *engine.Plan {
	t.Helper()
	r, _ := json.Marshal(result)
	return compile(t, fmt.Sprintf(`{"nodes":[{"id":"entry","type":"entry","next":"ask"},{"id":"ask","type":"model","model":"fast",%s,"next":"exit"},{"id":"exit","type":"exit","result":{"expr":%s}}]}`, node, r), engine.Env{Models: func() []string { return []string{"fast"} }})
}

const kindSchema = `"schema":{"type":"object","properties":{"kind":{"enum":["a","b"]}},"required":["kind"],"additionalProperties":false}`

func TestModelOutput(t *testing.T) {
	for _, api := range []string{"openai", "anthropic"} {
		t.Run(api, func(t *testing.T) {
			c := newModel(t, api, func(_ int, r modeltest.Request) modeltest.Reply {
				if r.Schema {
					return modeltest.Reply{Text: `{"kind":"a"}`, In: 5, Out: 2}
				}
				return modeltest.Reply{Text: "Hello", In: 5, Out: 1}
			})
			if got := runPlan(t, modelPlan(t, `"prompt":"Greet"`, "$uppercase($.ask)"), c, `{}`); got != `"HELLO"` {
				t.Errorf("text: %s", got)
			}
			if got := runPlan(t, modelPlan(t, `"prompt":"Which?","input":{"expr":"$.entry"},`+kindSchema, "$.ask.kind"), c, `{"text":"x"}`); got != `"a"` {
				t.Errorf("a value: %s", got)
			}
			node := `"prompt":[{"role":"system","content":"Be kind"},{"role":"user","content":{"expr":"$.entry.q"}}],"input":[{"type":"text","text":"one"},{"type":"image","data":"aGk=","mimeType":"image/png"}]`
			runPlan(t, modelPlan(t, node, "$.ask"), c, `{"q":"What is it?"}`)
			rs := c.Requests()
			if rs[1].Prompt != "Which?\n{\"text\":\"x\"}" || rs[2].Prompt != "Be kind\nWhat is it?\none" || rs[2].Images != 1 {
				t.Errorf("asked %q, %q with %d images", rs[1].Prompt, rs[2].Prompt, rs[2].Images)
			}
		})
	}
}

// TestModelTypes: the checker knows the type of a reply.
func TestModelTypes(t *testing.T) {
	env := engine.Env{Models: func() []string { return []string{"fast"} }}
	for node, want := range map[string]string{
		`"model":"fast","prompt":"?",` + kindSchema:         "",
		`"model":"fast","prompt":"?"`:                       "kind",
		`"model":"fats","prompt":"?",` + kindSchema:         `no model "fats" is configured`,
		`"model":"fast",` + kindSchema:                      "prompt",
		`"model":"fast","prompt":"?","temperature":3`:       "temperature is 3",
		`"model":"fast","prompt":"?","maxTokens":"many"`:    "maxTokens",
		`"model":"fast","prompt":"?","schema":{"type":"x"}`: `no JSON Schema type "x"`,
	} {
		doc, found := graph.Parse("g", fmt.Sprintf(`{"nodes":[{"id":"entry","type":"entry","next":"ask"},{"id":"ask","type":"model",%s,"next":"exit"},{"id":"exit","type":"exit","result":{"expr":"$.ask.kind"}}]}`, node))
		_, more := engine.Compile(doc, "", env)
		if found = append(found, more...); want == "" && len(found) > 0 || want != "" && (len(found) == 0 || !strings.Contains(found[0].Message, want)) {
			t.Errorf("%s: %v, want %q", node, found, want)
		}
	}
	doc, _ := graph.Parse("g", `{"nodes":[{"id":"entry","type":"entry","next":"ask"},{"id":"ask","type":"model","model":"fast","prompt":"?","next":"exit"},{"id":"exit","type":"exit"}]}`)
	_, found := engine.Compile(doc, "", engine.Env{Models: func() []string { return nil }})
	if len(found) != 1 || !strings.Contains(found[0].Hint, "models: {fast: {api: openai") {
		t.Errorf("without models: %v", found)
	}
}

func TestModelReplies(t *testing.T) {
	valid := modeltest.Reply{Text: `{"kind":"b"}`, In: 1, Out: 1}
	tests := map[string]struct {
		replies []modeltest.Reply // the last one is repeated
		node    string
		want    string // the result, or the code of the fault
		asked   int
	}{
		"invalid JSON, then valid":    {[]modeltest.Reply{{Text: "kind: a"}, valid}, "", `"b"`, 2},
		"a wrong type, then valid":    {[]modeltest.Reply{{Text: `{"kind":1}`}, valid}, "", `"b"`, 2},
		"never valid":                 {[]modeltest.Reply{{Text: `{"kind":"c"}`}}, "", "model-output", 2},
		"never valid, with retry":     {[]modeltest.Reply{{Text: `{"kind":"c"}`}}, `"retry":{"maxAttempts":2,"initialMs":1},`, "model-output", 4},
		"cut by length":               {[]modeltest.Reply{{Text: `{"ki`, Cut: true}}, "", "model-output", 1},
		"a refusal":                   {[]modeltest.Reply{{Refusal: "No."}}, `"retry":{"maxAttempts":2,"initialMs":1},`, "model-refused", 1},
		"too many requests":           {[]modeltest.Reply{{Status: 429}}, "", "http-status", 1},
		"a failure, then valid":       {[]modeltest.Reply{{Status: 500}, valid}, `"retry":{"maxAttempts":3,"initialMs":1},`, `"b"`, 2},
		"what stays wrong":            {[]modeltest.Reply{{Status: 401}}, `"retry":{"maxAttempts":3,"initialMs":1},`, "http-status", 1},
		"a page":                      {[]modeltest.Reply{{Raw: "<html>"}}, "", "model-failed", 1},
		"a huge reply":                {[]modeltest.Reply{{Raw: strings.Repeat(" ", models.MaxReply+1)}}, `"retry":{"maxAttempts":3,"initialMs":1},`, "model-failed", 1},
		"slow":                        {[]modeltest.Reply{{Hang: make(chan struct{})}}, `"timeoutMs":30,"retry":{"maxAttempts":3,"initialMs":1},`, "attempt-timeout", 1},
		"a fence":                     {[]modeltest.Reply{{Text: "```json\n{\"kind\":\"b\"}\n```"}}, "", `"b"`, 1},
		"what fails leads to onError": {[]modeltest.Reply{{Refusal: "No."}}, `"onError":"exit",`, `"model-refused"`, 1},
	}
	for name, tt := range tests {
		for _, api := range []string{"openai", "anthropic"} {
			t.Run(name+" of "+api, func(t *testing.T) {
				c := newModel(t, api, func(n int, _ modeltest.Request) modeltest.Reply { return tt.replies[min(n, len(tt.replies))-1] })
				rec := local.Run(t.Context(), modelPlan(t, `"prompt":"Which?",`+tt.node+kindSchema, map[bool]string{true: "$.ask.error.code", false: "$.ask.kind"}[strings.Contains(tt.node, "onError")]), c, nil, local.Options{})
				got := ""
				if rec.Fault != nil {
					got = rec.Fault.Code
				} else {
					b, _ := json.Marshal(rec.Result)
					got = string(b)
				}
				if got != tt.want || len(c.Requests()) != tt.asked {
					t.Errorf("got %s (%v) after %d requests, want %s after %d", got, rec.Fault, len(c.Requests()), tt.want, tt.asked)
				}
				if last := c.Requests()[len(c.Requests())-1]; tt.asked == 2 && tt.node == "" && !strings.Contains(last.Prompt, "This reply cannot be used: the reply of the model fast") {
					t.Errorf("the second request is %q", last.Prompt)
				}
			})
		}
	}
}

// TestModelDryRun: a dry run asks nothing, and its values have the types of the schema.
func TestModelDryRun(t *testing.T) {
	rec := local.Run(t.Context(), modelPlan(t, `"prompt":"Which?",`+kindSchema, "$.ask.kind"), local.DryRun(nil, nil), nil, local.Options{})
	if rec.Fault != nil || rec.Result != "a" {
		t.Error(rec.Result, rec.Fault)
	}
}

// TestModelResumes: a reply that was received is not asked for again, and one that may have
// been is a question.
func TestModelResumes(t *testing.T) {
	c := newModel(t, "openai", func(n int, _ modeltest.Request) modeltest.Reply {
		return modeltest.Reply{Text: []string{"no", `{"kind":"a"}`}[min(n, 2)-1], In: 10, Out: 5}
	})
	plan := modelPlan(t, `"prompt":"Which?",`+kindSchema, "$.ask.kind")
	rec := local.Run(t.Context(), plan, c, nil, local.Options{})
	if rec.Fault != nil || len(c.Requests()) != 2 {
		t.Fatal(rec.Fault, len(c.Requests()))
	}
	for lost := range 3 { // how many outcomes the process did not live to store
		again := *rec
		again.Status, again.Result, again.Fault = run.Interrupted, nil, &diag.Fault{Code: run.ShuttingDown}
		again.Steps = run.CloneSteps(nil, rec.Steps[:1])
		again.Intents = append([]run.Intent(nil), rec.Intents...)
		for i := range lost {
			again.Intents[len(again.Intents)-1-i].Outcome = nil
		}
		again.Steps = append(again.Steps, &run.StepRecord{Index: 1, Node: "ask", Type: "model", Key: "ask#0", Started: rec.Started, Definition: rec.Steps[1].Definition})
		resumed := local.Resume(t.Context(), plan, c, &again, local.Options{})
		if len(c.Requests()) != 2 {
			t.Fatalf("%d outcomes lost: asked again", lost)
		}
		if lost == 0 && (resumed.Fault != nil || resumed.Result != "a") || lost > 0 && (resumed.Fault == nil || resumed.Fault.Code != run.OutcomeUnknown) {
			t.Errorf("%d outcomes lost: %v, %v", lost, resumed.Result, resumed.Fault)
		}
	}
	if replayed := local.Replay(t.Context(), plan, rec); replayed.Result != "a" || len(c.Requests()) != 2 {
		t.Error("the replay:", replayed.Result, replayed.Fault, len(c.Requests()))
	}
}
