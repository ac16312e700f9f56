package adding

import (
	"context"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

var _ = engine.Register(engine.Kind{
	Spec: specs.Spec{
		NodeType:    "count",
		Title:       "Count",
		Description: "Counts the items of a list. Its output is {count}.",
		Intents:     []string{"how many items", "length of a list"},
		InputPorts:  []specs.Port{{Name: "input", Type: "any", Required: true, Description: "the node executed before"}},
		OutputPorts: []specs.Port{{Name: "output", Type: "object", Description: "{count}", MaxConnections: 1}},
		Skeleton:    json.RawMessage(`{"id":"count","type":"count","items":{"expr":"$.entry.items"},"next":"exit"}`),
		Examples: []specs.Example{{
			Title: "Count what a caller sends",
			Graph: `name: how_many
description: Counts items
inputSchema: {type: object, properties: {items: {type: array, items: {}}}, required: [items]}
outputSchema: {type: object, properties: {count: {type: number}}, required: [count]}
nodes:
  - {id: entry, type: entry, next: count}
  - {id: count, type: count, items: {expr: $.entry.items}, next: exit}
  - {id: exit, type: exit}
`,
			Arguments: json.RawMessage(`{"items":["a","b"]}`),
			Result:    json.RawMessage(`{"count":2}`),
		}},
	},
	Aliases: []string{"length", "size"},
	Fields: []engine.Field{
		{Name: "items", Type: "array", Required: true, Doc: "items: {expr: <JSONata>} or a list", Aliases: []string{"of", "list"}},
		{Name: "next", Type: "node-id", Edges: true, Required: true, Doc: "id of the node that follows"},
	},
	Modifiers: engine.AllModifiers,
	Compile:   compileCount,
})

var ruleCountItems = diag.Define("count-of-scalar", diag.Error,
	"The items of a count node are a number or a boolean, not a list.")

func compileCount(p *engine.Pass, n *engine.Node) engine.Compiled {
	edges := p.Next(n)
	items := p.Require(n, "items")
	if items.Is(graph.Number) || items.Is(graph.Boolean) {
		p.Report(ruleCountItems, items, n, "items is %s, expected a list", items.Kind()).Hint = "write items: {expr: <JSONata>}, or a list"
	}
	list := p.Computed(n, items, "items")
	return engine.Compiled{
		Edges: edges,
		Pure:  true,
		Infer: func(*engine.Types) types.Type {
			return types.ObjectOf(true, types.Field{Name: "count", Type: types.Of(types.Number)})
		},
		Step: func(ctx context.Context, s *engine.State) (engine.Outcome, error) {
			v, err := list.Eval(ctx, s)
			if err != nil {
				return engine.Outcome{}, err
			}
			out := expr.NewObject()
			out.Set("count", countOf(v))
			return engine.Outcome{Input: v, Output: out, Next: edges[0].To}, nil
		},
	}
}

// countOf counts as JSONata does: undefined counts as zero, a single value as one.
func countOf(v expr.Value) float64 {
	switch v := v.(type) {
	case nil:
		return 0
	case []any:
		return float64(len(v))
	default:
		return 1
	}
}
