package engine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
)

// shop is a document of two tools, of which the first calls the second.
const shop = `version: "1.0"
tools:
  - name: order
    inputSchema: {type: object, properties: {lines: {type: array, items: {type: number}}}, required: [lines]}
    nodes:
      - {id: entry, type: entry, next: lines}
      - {id: lines, type: graph, graph: line, args: {price: {expr: $item}}, foreach: {items: {expr: $.entry.lines}}, next: exit}
      - {id: exit, type: exit, result: {expr: '{"total": $sum($.lines.price)}'}}
  - name: line
    inputSchema: {type: object, properties: {price: {type: number}}, required: [price]}
    outputSchema: {type: object, properties: {price: {type: number}}, required: [price]}
    nodes:
      - {id: entry, type: entry, next: exit}
      - {id: exit, type: exit, result: {expr: '{"price": $.entry.price * 2}'}}
`

func compileTool(t *testing.T, src, tool string, env engine.Env) (*engine.Plan, diag.List) {
	t.Helper()
	doc, l := graph.Parse("graph.yaml", src)
	if doc == nil {
		t.Fatal(diag.Format("graph.yaml", src, l))
	}
	plan, found := engine.Compile(doc, tool, env)
	return plan, append(l, found...)
}

func result(t *testing.T, plan *engine.Plan, arguments string) string {
	t.Helper()
	rec := local.Run(t.Context(), plan, nil, json.RawMessage(arguments), local.Options{})
	if rec.Status != run.Succeeded {
		return rec.Fault.Error()
	}
	b, err := expr.Encode(rec.Result)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A graph node means a tool of its own document first, also where a saved graph has
// the name, and that is said.
func TestGraphNodesCallToolsOfTheirDocument(t *testing.T) {
	saved := compile(t, "name: line\nnodes:\n  - {id: entry, type: entry, next: exit}\n  - {id: exit, type: exit, result: {expr: '{\"price\": 1000}'}}\n", engine.Env{})
	for name, env := range map[string]engine.Env{"no saved graphs": {}, "none of that name": {Graphs: library{}}, "one of that name": {Graphs: library{"line": saved}}} {
		t.Run(name, func(t *testing.T) {
			plan, found := compileTool(t, shop, "order", env)
			if plan == nil {
				t.Fatal(diag.Format("graph.yaml", shop, found))
			}
			if got := result(t, plan, `{"lines": [1, 2]}`); got != `{"total":6}` {
				t.Errorf("got %s", got)
			}
			said := slices.ContainsFunc(found, func(d *diag.Diagnostic) bool { return d.Code == "own-graph" })
			if said != (name == "one of that name") {
				t.Errorf("own-graph is reported: %v", said)
			}
		})
	}
}

// Calls of tools of the document are checked and typed, and what is wrong with a tool
// that is called is a fault of the caller too.
func TestCallsOfSiblingsAreChecked(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"the type of an argument":     {"{price: {expr: $item}}", "{price: cheap}", "wrong-arg-type"},
		"a missing argument":          {"{price: {expr: $item}}", "{}", "missing-argument"},
		"a field of the result":       {"$.lines.price", "$.lines.prise", "undeclared-field"},
		"a fault in the other tool":   {"$.entry.price * 2", "$.entri.price * 2", "unknown-node-reference"},
		"the name of the other tool":  {"graph: line", "graph: lin", "unknown-graph"},
		"the name of a tool nowhere":  {"graph: line", "graph: teleport", "unknown-graph"},
		"another tool that is broken": {"type: exit, result: {expr: '{\"price\"", "type: exti, result: {expr: '{\"price\"", "unknown-node-type"},
	} {
		t.Run(name, func(t *testing.T) {
			src := strings.Replace(shop, c.old, c.new, 1)
			plan, found := compileTool(t, src, "order", engine.Env{Graphs: library{}})
			if plan != nil && found.HasErrors() || !slices.ContainsFunc(found, func(d *diag.Diagnostic) bool { return d.Code == c.want }) {
				t.Errorf("want %s:\n%s", c.want, diag.Format("graph.yaml", src, found))
			}
		})
	}
	if _, found := compileTool(t, strings.Replace(shop, "graph: line", "graph: lin", 1), "order", engine.Env{}); found.HasErrors() {
		t.Error("without a catalog any saved graph may be named")
	}
}

// Only what a tool calls is compiled with it: another tool may have errors.
func TestOtherToolsOfADocumentMayBeBroken(t *testing.T) {
	src := strings.Replace(shop, "$.lines.price", "$.lnies.price", 1)
	if plan, found := compileTool(t, src, "line", engine.Env{}); plan == nil {
		t.Error(diag.Format("graph.yaml", src, found))
	}
	doc, _ := graph.Parse("graph.yaml", src)
	plans, found := engine.CompileAll(doc, engine.Env{})
	if plans[0] != nil || plans[1] == nil || !found.HasErrors() {
		t.Errorf("plans %v, found %v", plans, found)
	}
}

// Tools of a document may call each other in a circle, as deep as saved graphs.
func TestSiblingsCallEachOther(t *testing.T) {
	const parity = `version: "1.0"
tools:
  - name: even
    inputSchema: {type: object, properties: {n: {type: integer}}, required: [n]}
    outputSchema: {type: boolean}
    nodes: &nodes
      - {id: entry, type: entry, next: zero}
      - {id: zero, type: switch, conditions: [{rule: {"==": [{var: $.entry.n}, 0]}, next: yes}], next: less}
      - {id: yes, type: transform, transform: {expr: 'true'}, next: exit}
      - {id: less, type: graph, graph: odd, args: {n: {expr: $.entry.n - 1}}, next: exit}
      - {id: exit, type: exit}
  - name: odd
    inputSchema: {type: object, properties: {n: {type: integer}}, required: [n]}
    outputSchema: {type: boolean}
    nodes:
      - {id: entry, type: entry, next: zero}
      - {id: zero, type: switch, conditions: [{rule: {"==": [{var: $.entry.n}, 0]}, next: no}], next: less}
      - {id: no, type: transform, transform: {expr: 'false'}, next: exit}
      - {id: less, type: graph, graph: even, args: {n: {expr: $.entry.n - 1}}, next: exit}
      - {id: exit, type: exit}
`
	src := strings.Replace(parity, " &nodes", "", 1)
	plan, found := compileTool(t, src, "even", engine.Env{})
	if plan == nil {
		t.Fatal(diag.Format("graph.yaml", src, found))
	}
	for n, want := range map[int]string{0: "true", 7: "false", 10: "true"} {
		if got := result(t, plan, fmt.Sprintf(`{"n": %d}`, n)); got != want {
			t.Errorf("even(%d) is %s, want %s", n, got, want)
		}
	}
	if got := result(t, plan, `{"n": 100}`); !strings.Contains(got, "graphs call graphs more than 16 deep") {
		t.Errorf("even(100): %s", got)
	}
}

// A document that is a chain of many tools compiles, and its last tool too.
func TestAChainOfTools(t *testing.T) {
	const tools = 300
	var b strings.Builder
	b.WriteString("version: \"1.0\"\ntools:\n")
	for i := range tools {
		fmt.Fprintf(&b, "  - name: t%d\n    nodes:\n      - {id: entry, type: entry, next: call}\n      - {id: call, type: graph, graph: t%d, next: exit}\n      - {id: exit, type: exit}\n", i, i+1)
	}
	fmt.Fprintf(&b, "  - name: t%d\n    nodes:\n      - {id: entry, type: entry, next: exit}\n      - {id: exit, type: exit, result: {expr: nothing.here(}}\n", tools)
	plan, found := compileTool(t, b.String(), "t0", engine.Env{})
	if plan != nil || !found.HasErrors() {
		t.Error("a fault in the last tool of the chain is not reported for the first")
	}
}
