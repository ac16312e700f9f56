package engine_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// pricing is a tool whose required argument has a default behind a reference.
type pricing struct{}

func (pricing) Tool(server, tool string) (*engine.Tool, *diag.Fault) {
	in := json.RawMessage(`{"type": "object", "properties": {"o": {"$ref": "#/$defs/O"}, "x": {"default": 1}}, "required": ["o"], "$defs": {"O": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "default": {"n": 3}}}}`)
	return &engine.Tool{Spec: &specs.Spec{NodeType: "mcp", Subtype: server + "/" + tool, InputSchema: in}, Input: schema.New(in)}, nil
}

func (pricing) Names() []string { return nil }

func (pricing) Resolve(string) (server, tool string, ok bool) { return "", "", false }

// What the schema of a call gives as defaults is there wherever arguments are, and the
// checker knows it.
func TestDefaultsOfArguments(t *testing.T) {
	const defs = `, "$defs": {"P": {"type": "object", "properties": {"n": {"type": "integer", "default": 7}}}}`
	schemas := map[string]string{
		"behind a reference": `{"type": "object", "properties": {"p": {"$ref": "#/$defs/P"}}, "required": ["p"]` + defs + `}`,
		"in allOf":           `{"type": "object", "properties": {"p": {"allOf": [{"$ref": "#/$defs/P"}]}}, "required": ["p"]` + defs + `}`,
	}
	for name, in := range schemas {
		src := `{"inputSchema": ` + in + `, "nodes": [{"id":"entry","type":"entry","next":"exit"}, {"id":"exit","type":"exit","result":{"expr":"$.entry.p.n + 1"}}]}`
		if found, l := codes(src, engine.Env{}); len(found) > 0 {
			t.Errorf("%s: %v", name, l)
		}
		if got := runPlan(t, compile(t, src, engine.Env{}), nil, `{"p": {}}`); got != "8" {
			t.Errorf("%s: %s", name, got)
		}
	}
	items := `{"inputSchema": {"type": "object", "properties": {"l": {"type": "array", "items": {"$ref": "#/$defs/P"}}}, "required": ["l"]` + defs + `}, "nodes": [{"id":"entry","type":"entry","next":"exit"}, {"id":"exit","type":"exit","result":{"expr":"$sum($.entry.l.n)"}}]}`
	if got := runPlan(t, compile(t, items, engine.Env{}), nil, `{"l": [{}, {"n": 1}]}`); got != "8" {
		t.Errorf("in items: %s", got)
	}

	inner := compile(t, `{"name": "inner", "inputSchema": `+schemas["in allOf"]+`, "outputSchema": {"type": "integer"}, "nodes": [{"id":"entry","type":"entry","next":"exit"}, {"id":"exit","type":"exit","result":{"expr":"$.entry.p.n"}}]}`, engine.Env{})
	outer := `{"nodes": [{"id":"entry","type":"entry","next":"work"}, {"id":"work","type":"graph","graph":"inner","args":{"p":{}},"next":"exit"}, {"id":"exit","type":"exit"}]}`
	if got := runPlan(t, compile(t, outer, engine.Env{Graphs: library{"inner": inner}}), nil, `{}`); got != "7" {
		t.Errorf("of a saved graph: %s", got)
	}
}

// A required argument that has a default need not be written; a call that has all that is
// required is sent as it is.
func TestDefaultsOfCalls(t *testing.T) {
	for args, want := range map[string]string{
		`"args": {"x": {"expr": "1 + 1"}},`: `{"x":2,"o":{"n":3}}`,
		``:                                  `{"o":{"n":3},"x":1}`,
		`"args": {"o": {"n": 1}},`:          `{"o":{"n":1}}`,
	} {
		var sent string
		caller := callerFunc(func(_ context.Context, c run.Call) (*run.Result, error) {
			sent = string(c.Args)
			return &run.Result{Structured: json.RawMessage(`{}`)}, nil
		})
		src := `{"nodes": [{"id":"entry","type":"entry","next":"work"}, {"id":"work","type":"mcp","server":"s","tool":"price",` + args + `"next":"exit"}, {"id":"exit","type":"exit"}]}`
		if runPlan(t, compile(t, src, engine.Env{Tools: pricing{}}), caller, `{}`); sent != want {
			t.Errorf("%s sends %s, want %s", args, sent, want)
		}
	}
	found, l := codes(`{"nodes": [{"id":"entry","type":"entry","next":"work"}, {"id":"work","type":"mcp","server":"s","tool":"price","args":{"o":{}},"next":"exit"}, {"id":"exit","type":"exit"}]}`, engine.Env{Tools: pricing{}})
	if len(found) != 1 || found[0] != "missing-argument" {
		t.Errorf("a required field without a default: %v", l)
	}
}

// The body of an answer has the defaults of responseSchema.
func TestDefaultsOfAnswers(t *testing.T) {
	w := newWeb(t, answering(200, `{"items":[{},{"n":1}]}`))
	plan := w.plan(t, `"url":"$WEB/a","responseSchema":{"type":"object","properties":{"items":{"type":"array","items":{"$ref":"#/$defs/I"}}},"required":["items"],"$defs":{"I":{"properties":{"n":{"type":"integer","default":5}}}}}`, "$sum($.call.body.items.n)")
	if got := runPlan(t, plan, w, `{}`); got != "6" {
		t.Error(got)
	}
}
