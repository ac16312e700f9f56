package wire_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

const outer = `name: outer
nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: mcp, server: s, tool: read, args: {}, next: inner}
  - {id: inner, type: graph, graph: inner, args: {}, next: exit}
  - {id: exit, type: exit}
`

const inner = `name: inner
nodes:
  - {id: entry, type: entry, next: put}
  - {id: put, type: mcp, server: s, tool: put, args: {}, next: exit}
  - {id: exit, type: exit}
`

// site has tools and saved graphs.
type site struct{ trusted bool }

func (s *site) Tool(server, tool string) (*engine.Tool, *diag.Fault) {
	yes := true
	return &engine.Tool{Spec: &specs.Spec{NodeType: specs.MCP, Subtype: server + "/" + tool, Annotations: &specs.Annotations{Idempotent: &yes, Trusted: s.trusted}}}, nil
}
func (s *site) Names() []string                              { return []string{"s/put", "s/read"} }
func (s *site) Resolve(string) (server, tool string, _ bool) { return "", "", false }

type graphs struct{ site *site }

func (g graphs) Graph(name string) (*engine.Tool, *diag.Fault) {
	return &engine.Tool{Spec: &specs.Spec{NodeType: specs.Graph, Subtype: name}, Input: schema.New(nil)}, nil
}

func (g graphs) Plan(context.Context, string) (*engine.Plan, *diag.Fault) {
	return compile(inner, g.site), nil
}
func (g graphs) Names() []string { return []string{"inner"} }

func compile(text string, s *site) *engine.Plan {
	doc, _ := graph.Parse("g.yaml", text)
	plan, found := engine.Compile(doc, "", engine.Env{Tools: s, Graphs: graphs{s}, Unreviewed: func(doc *graph.Document) bool { return doc.Src == inner }})
	if plan == nil {
		panic(found[0].Message)
	}
	return plan
}

// What is pinned makes the same plan, whatever tools and saved graphs there are now.
func TestPinnedPlansAreTheSame(t *testing.T) {
	plan := compile(outer, &site{trusted: true})
	pinned, err := wire.Pin(t.Context(), plan, run.Limits{MaxNodeExecutions: 7}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sent := wire.NewInput(plan, pinned, json.RawMessage(`{}`), run.Options{ID: "run_1"}, time.Unix(1, 0).UTC())
	got := through(t, sent)
	again, fault := got.Pinned.Compile(got.Record.Source, nil)
	if fault != nil {
		t.Fatal(fault)
	}
	called, fault := again.CalledGraphs(t.Context())
	if fault != nil || len(called) != 1 {
		t.Fatalf("calls %v: %v", called, fault)
	}
	tools := append(again.Tools(), called[0].Plan.Tools()...)
	if len(tools) != 2 || !tools[0].Annotations.MayRepeat() || tools[1].Subtype != "s/put" {
		t.Errorf("tools: %+v", tools)
	}
	if again.Unreviewed() || !called[0].Plan.Unreviewed() {
		t.Errorf("unreviewed: %t, and what it calls: %t", again.Unreviewed(), called[0].Plan.Unreviewed())
	}
	if source := again.Source(); source != plan.Source() {
		t.Errorf("source: %+v", source)
	}
}

// A document that does not compile any more is a fault.
func TestNothingPinned(t *testing.T) {
	var nothing wire.Pinned
	for _, text := range []string{outer, "nodes: [", ""} {
		if _, fault := nothing.Compile(run.Source{Text: text, Trusted: true}, nil); fault == nil || fault.Code != "graph-changed" {
			t.Errorf("%q: %v", text, fault)
		}
	}
}

// A record is read as it was written.
func TestRecordsTravel(t *testing.T) {
	value, err := expr.Decode([]byte(`{"b":1,"a":[null,{"z":1,"y":12345678901234567890}]}`))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1700000000, 123456789).UTC()
	rec := run.Record{
		ID: "run_1", Graph: "g", Principal: "local", Project: "p", Source: run.Source{Name: "n", Text: "t", Trusted: true}, Arguments: json.RawMessage(`{"b":1,"a":2}`),
		Options: run.Options{ID: "run_1", Until: "x", Operator: true, Pins: map[string]expr.Value{"none": nil, "some": value}},
		Status:  run.Failed, Result: value, Started: at, Ended: at.Add(time.Hour), Begun: 3,
		Fault: &diag.Fault{Code: "tool-failed", Message: "no", Node: "a", Got: json.RawMessage(`{"z":1}`), Details: value},
		Steps: []*run.StepRecord{
			{Index: 0, Node: "a", Key: "a#0", Started: at, Duration: 5, Input: value, Ended: 1, Definition: 1 << 63, Branches: []string{"l", "r"}, Fault: &diag.Fault{Code: "c", Message: "m"}, Caught: true},
			{Index: 1, Node: "b", Key: "b#0", Output: "text", Lost: true, Simulated: "pin"},
		},
		Intents: []run.Intent{{Key: "a#0/call", Step: "a#0", Kind: run.IntentCall, At: at, Until: at, Detail: json.RawMessage(`{"server":"s"}`), Outcome: json.RawMessage(`{}`)}},
		Resumed: []run.Resumption{{At: at, After: "crash", Decision: "retry", Step: "a#0"}},
	}
	b, err := json.Marshal(wire.Record{Record: rec})
	if err != nil {
		t.Fatal(err)
	}
	var got wire.Record
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(b), string(again)); diff != "" {
		t.Error(diff)
	}
	if s := got.Steps[0]; s.Definition != 1<<63 || s.Fault.Code != "c" || expr.Size(s.Input, 1000) != expr.Size(value, 1000) || got.Steps[1].Output != "text" {
		t.Errorf("%+v", s)
	}
	if _, there := got.Options.Pins["none"]; !there || got.Fault.Details == nil || got.Result == nil {
		t.Errorf("%+v", got)
	}
}

// A call and what came of it travel.
func TestCallsTravel(t *testing.T) {
	request := through(t, wire.RequestOf(&run.Record{ID: "run_1"}, run.Call{Server: "s", Tool: "t", Args: json.RawMessage(`{"a":1}`), Key: "a#0/call", Repeatable: true, Idempotency: "i", Items: 4}))
	if c := request.Call(); c.Server != "s" || string(c.Args) != `{"a":1}` || !c.Repeatable || c.Idempotency != "i" || c.Answer != nil || c.Items != 4 {
		t.Errorf("%+v", c)
	}
	for _, outcome := range []run.CallOutcome{run.CallUnknown, run.CallNotSent, run.CallRefused, run.CallCompleted} {
		reply := through(t, wire.ReplyOf(nil, &run.CallError{Outcome: outcome, Err: diag.Faultf("c", "m")}))
		if _, err := reply.Return(); run.OutcomeOf(err) != outcome || run.AsFault(err).Code != "c" {
			t.Errorf("%v: %v", outcome, err)
		}
	}
	reply := through(t, wire.ReplyOf(&run.Result{Structured: json.RawMessage(`{"b":1,"a":2}`), Raw: json.RawMessage(`{"structuredContent":{}}`)}, nil))
	if res, err := reply.Return(); err != nil || string(res.Structured) != `{"b":1,"a":2}` || res.Raw != nil {
		t.Errorf("%+v %v", res, err)
	}
}

func through[T any](t *testing.T, v T) (got T) {
	t.Helper()
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &got)
	}
	if err != nil {
		t.Fatal(err)
	}
	return got
}
