package engine_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
)

// desk has the tools look, which is trusted to change nothing, and send.
type desk struct{}

func (desk) Tool(server, tool string) (*engine.Tool, *diag.Fault) {
	look := tool == "look"
	return &engine.Tool{Spec: &specs.Spec{NodeType: specs.MCP, Subtype: server + "/" + tool, Annotations: &specs.Annotations{Trusted: true, ReadOnly: &look}}}, nil
}
func (desk) Names() []string                               { return []string{"s/look", "s/send"} }
func (desk) Resolve(string) (server, tool string, ok bool) { return "", "", false }
func (desk) Graph(name string) (*engine.Tool, *diag.Fault) {
	return &engine.Tool{Spec: &specs.Spec{NodeType: specs.Graph, Subtype: name}, AsksModel: name == "asker"}, nil
}
func (desk) Plan(context.Context, string) (*engine.Plan, *diag.Fault) { return nil, nil }

// node writes a node; what is said of it may have its own next.
func node(id, kind, says, next string) string {
	if says != "" {
		says = ", " + says
	}
	return fmt.Sprintf("  - {id: %s, type: %s%s, next: %s}\n", id, kind, says, next)
}

func model(next string) string { return node("m", "model", "model: fast, prompt: Which?", next) }

func send(id, text, next string) string {
	return node(id, "mcp", "server: s, tool: send, args: {text: "+text+"}", next)
}

func choose(id, reads, to, otherwise string) string {
	return node(id, "switch", `conditions: [{rule: {"==": [{var: `+reads+`}, a]}, next: `+to+`}]`, otherwise)
}

const replied = "{expr: $.m}"

// TestModelMarks: a person is asked about each call that depends on what a model has answered,
// and about no other.
func TestModelMarks(t *testing.T) {
	tests := map[string]struct{ nodes, marked string }{
		"an argument":                          {model("a") + send("a", replied, "exit"), "a"},
		"a part of an argument":                {model("a") + node("a", "mcp", `server: s, tool: send, args: {to: [{name: {expr: '"x" & $.m'}}]}`, "exit"), "a"},
		"another argument":                     {model("a") + send("a", "{expr: $.entry.text}", "b") + send("b", replied, "exit"), "b"},
		"a constant":                           {model("a") + send("a", "hello", "exit"), ""},
		"before the model":                     {send("a", "{expr: $.entry.text}", "m") + model("exit"), ""},
		"a call that only reads":               {model("a") + node("a", "mcp", "server: s, tool: look, args: {text: {expr: $.m}}", "exit"), ""},
		"what a call that reads returns":       {model("a") + node("a", "mcp", "server: s, tool: look, args: {text: {expr: $.m}}", "b") + send("b", "{expr: $.a}", "exit"), "b"},
		"by a transform":                       {model("x") + node("x", "transform", "transform: {expr: '{\"t\": $.m}'}", "a") + send("a", "{expr: $.x.t}", "exit"), "a"},
		"by two transforms":                    {model("x") + node("x", "transform", "transform: {expr: $.m}", "y") + node("y", "transform", "transform: {expr: $.x}", "a") + send("a", "{expr: $.y}", "exit"), "a"},
		"the input of a model is not its":      {model("a") + send("a", "{expr: $.entry.text}", "exit"), ""},
		"one model asks about another":         {model("n") + node("n", "model", "model: fast, prompt: Again?, input: {expr: $.m}", "a") + send("a", "{expr: $.n}", "exit"), "a"},
		"the items of a foreach":               {model("a") + node("a", "mcp", "server: s, tool: send, args: {text: hi}, foreach: {items: {expr: $.m}}", "exit"), "a"},
		"an item of a foreach":                 {model("a") + node("a", "mcp", "server: s, tool: send, args: {text: {expr: $item}}, foreach: {items: {expr: $.m}}", "exit"), "a"},
		"items of somebody else":               {model("a") + node("a", "mcp", "server: s, tool: send, args: {text: {expr: $item}}, foreach: {items: {expr: $.entry.list}}", "exit"), ""},
		"each side of a switch, not after it":  {model("sw") + choose("sw", "$.m", "a", "b") + send("a", "x", "c") + send("b", "y", "c") + send("c", "z", "exit"), "a b"},
		"one side of a switch":                 {model("sw") + choose("sw", "$.m", "a", "c") + send("a", "x", "c") + send("c", "z", "exit"), "a"},
		"a switch that reads something else":   {model("sw") + choose("sw", "$.entry.text", "a", "exit") + send("a", "x", "exit"), ""},
		"a switch in a branch":                 {model("sw") + choose("sw", "$.m", "s2", "exit") + choose("s2", "$.entry.text", "a", "exit") + send("a", "x", "exit"), "a"},
		"a switch after a branch":              {model("sw") + choose("sw", "$.m", "a", "s2") + send("a", "x", "s2") + choose("s2", "$.entry.text", "b", "exit") + send("b", "y", "exit"), "a"},
		"what has run in a branch":             {model("sw") + choose("sw", "$.m", "x", "a") + node("x", "transform", "transform: {expr: '1'}", "a") + send("a", "{expr: $exists($.x)}", "exit"), "a"},
		"which way a switch has gone":          {model("sw") + choose("sw", "$.m", "x", "a") + node("x", "wait", "ms: 1", "a") + send("a", "{expr: $.sw}", "exit"), "a"},
		"a loop that a model ends":             {node("h", "wait", "ms: 1", "a") + send("a", "x", "m") + model("sw") + choose("sw", "$.m", "h", "exit"), "a"},
		"a request that changes":               {model("a") + node("a", "http", "method: POST, url: https://a.example/, body: {expr: $.m}", "exit"), "a"},
		"a request that reads":                 {model("a") + node("a", "http", "method: GET, url: https://a.example/, query: {q: {expr: $.m}}", "exit"), ""},
		"what is stored under a key":           {node("g", "state", "key: k, get: 0", "a") + send("a", "{expr: $.g.value}", "m") + model("p") + node("p", "state", "key: k, set: {expr: $.m}", "exit"), "a"},
		"what is stored under another key":     {node("g", "state", "key: k, get: 0", "a") + send("a", "{expr: $.g.value}", "m") + model("p") + node("p", "state", "key: l, set: {expr: $.m}", "exit"), ""},
		"what is stored under some key":        {node("g", "state", "key: {expr: $.entry.text}, get: 0", "a") + send("a", "{expr: $.g.value}", "m") + model("p") + node("p", "state", "key: l, set: {expr: $.m}", "exit"), "a"},
		"a branch that runs at the same time":  {node("f", "parallel", "branches: [m, b], join: c", "") + model("c") + send("b", "x", "c") + send("c", "{expr: $.f.m}", "exit"), "c"},
		"the whole context":                    {model("a") + send("a", "{expr: $string($)}", "exit"), "a"},
		"the whole context before the model":   {send("a", "{expr: $string($)}", "m") + model("exit"), ""},
		"the node before":                      {model("a") + send("a", "{expr: $previousNode()}", "exit"), "a"},
		"the answer of a person":               {model("q") + node("q", "ask", "message: {expr: $.m}", "sw") + choose("sw", "$.q.action", "a", "exit") + send("a", "x", "exit"), ""},
		"what a person was shown":              {model("q") + node("q", "ask", "message: {expr: $.m}", "a") + send("a", replied, "exit"), "a"},
		"a graph that is given it":             {model("a") + node("a", "graph", "graph: quiet, args: {text: {expr: $.m}}", "exit"), "a"},
		"what a graph makes of it":             {model("g") + node("g", "graph", "graph: quiet, args: {text: {expr: $.m}}", "a") + send("a", "{expr: $.g}", "exit"), "a g"},
		"a graph that asks a model":            {node("g", "graph", "graph: asker", "a") + send("a", "{expr: $.g}", "exit"), "a"},
		"a graph that asks none":               {node("g", "graph", "graph: quiet", "m") + model("a") + send("a", "{expr: $.g}", "exit"), ""},
		"what has failed":                      {node("m", "model", "model: fast, prompt: Which?, onError: a", "exit") + send("a", "{expr: $.m.error}", "exit"), "a"},
		"what only a failure leads to":         {node("m", "model", "model: fast, prompt: Which?, onError: a", "b") + send("a", "x", "c") + send("b", "y", "c") + send("c", "z", "exit"), "a"},
		"what the failure of a graph leads to": {node("g", "graph", "graph: asker, onError: a", "exit") + send("a", "x", "exit"), "a"},
		"what a failed call leads to":          {model("x") + node("x", "mcp", "server: s, tool: look, onError: a", "exit") + send("a", "x", "exit"), ""},
		"trusted":                              {model("a") + node("a", "mcp", "server: s, tool: send, trusted: true, args: {text: {expr: $.m}}", "b") + send("b", replied, "exit"), "b"},
	}
	env := engine.Env{Tools: desk{}, Graphs: desk{}, Models: func() []string { return []string{"fast"} }}
	for name, tt := range tests {
		first, _, _ := strings.Cut(strings.TrimPrefix(tt.nodes, "  - {id: "), ",")
		src := "name: g\nnodes:\n  - {id: entry, type: entry, next: " + first + "}\n" + strings.ReplaceAll(tt.nodes, ", next: }", "}") + "  - {id: exit, type: exit}\n"
		doc, found := graph.Parse("g", src)
		_, more := engine.Compile(doc, "", env)
		if found = append(found, more...); found.HasErrors() {
			t.Errorf("%s: %s", name, diag.Format("g", src, found))
		}
		var marked []string
		for _, d := range found {
			if d.Code == "model-decides" {
				marked = append(marked, d.Node)
			}
		}
		if slices.Sort(marked); strings.Join(marked, " ") != tt.marked {
			t.Errorf("%s: marked %v, want %q\n%s", name, marked, tt.marked, src)
		}
	}
}

// marker notes which calls a person is to be asked about.
type marker struct{ calls []string }

func (m *marker) CallTool(_ context.Context, c run.Call) (*run.Result, error) {
	if c.Server == run.ModelServer {
		return &run.Result{Structured: json.RawMessage(`{"text":"a","model":"t","tokens":{"input":1,"output":1}}`)}, nil
	}
	m.calls = append(m.calls, c.Tool+map[bool]string{true: " asks"}[c.Marked])
	return &run.Result{Structured: json.RawMessage(`{"ok":true}`)}, nil
}

// TestMarkedCalls: who is asked depends on who answers for the graph, also in a graph that is
// called.
func TestMarkedCalls(t *testing.T) {
	inner := "name: inner\nnodes:\n  - {id: entry, type: entry, next: l}\n" + node("l", "mcp", "server: s, tool: look", "a") + node("a", "mcp", "server: s, tool: send%s, args: {text: {expr: $.entry.text}}", "exit") + "  - {id: exit, type: exit}\n"
	calls := "nodes:\n  - {id: entry, type: entry, next: m}\n" + model("g") + node("g", "graph", "graph: inner, args: {text: %s}", "exit") + "  - {id: exit, type: exit}\n"
	for _, tt := range []struct {
		trusted, text         string
		untrusted, unreviewed bool
		want                  string
	}{
		{"", "x", false, false, "[look send]"},
		{"", replied, false, false, "[look send asks]"},
		{", trusted: true", replied, false, false, "[look send]"},
		{", trusted: true", replied, false, true, "[look send asks]"},
		{", trusted: true", replied, true, false, "[look send asks]"},
	} {
		env := engine.Env{Tools: desk{}, Models: func() []string { return []string{"fast"} }, Untrusted: tt.untrusted, Unreviewed: func(*graph.Document) bool { return tt.unreviewed }}
		lib := library{"inner": compile(t, fmt.Sprintf(inner, tt.trusted), env)}
		m := &marker{}
		rec := local.Run(t.Context(), compile(t, fmt.Sprintf(calls, tt.text), engine.Env{Tools: desk{}, Graphs: lib, Models: env.Models}), m, json.RawMessage(`{}`), local.Options{})
		if got := fmt.Sprint(m.calls); rec.Fault != nil || got != tt.want {
			t.Errorf("%q with %s: %s, %v, want %s", cmp.Or(tt.trusted, "not trusted"), tt.text, got, rec.Fault, tt.want)
		}
	}
}
