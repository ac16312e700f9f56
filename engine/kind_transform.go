package engine

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

var _ = Register(Kind{
	Spec: specs.Spec{
		NodeType:    "transform",
		Title:       "Transform",
		Description: "Processes data with a JSONata expression over the outputs of the nodes before: select fields, filter, map, sum, join text, reshape JSON. No I/O.",
		Tags:        []string{"jsonata", "map", "filter", "aggregate", "format", "json"},
		Intents: []string{
			"reshape JSON", "transform data", "data processing", "pick fields", "rename fields", "filter a list", "sort a list", "sum or count values", "concatenate text", "format a string", "split text into lines",
			"merge objects", "set a variable", "compute a value", "parse a number", "group by", "take the first item",
		},
		InputPorts:  []specs.Port{{Name: "input", Type: "any", Required: true, Description: "the node executed before; the expression sees every node's latest output by id"}},
		OutputPorts: []specs.Port{{Name: "output", Type: "any", Description: "value of the expression", MaxConnections: 1}},
		Skeleton:    json.RawMessage(`{"id":"transform","type":"transform","transform":{"expr":"$.entry"},"next":"exit"}`),
		Examples: []specs.Example{
			{
				Title: "Sum the prices of the items in stock",
				Graph: `name: stock_value
description: Value of the items in stock
inputSchema: {type: object, properties: {items: {type: array, items: {type: object}}}, required: [items]}
outputSchema: {type: object, properties: {total: {type: number}}, required: [total]}
nodes:
  - {id: entry, type: entry, next: total}
  - id: total
    type: transform
    transform: {expr: '{"total": $sum([$.entry.items[inStock].price])}'}
    next: exit
  - {id: exit, type: exit}
`,
				Arguments: json.RawMessage(`{"items":[{"price":2.5,"inStock":true},{"price":4,"inStock":false},{"price":3,"inStock":true}]}`),
				Result:    json.RawMessage(`{"total":5.5}`),
			},
			{
				Title: "Count in a loop with the history functions",
				Graph: `name: sum_to
description: Sums 1 to n in a loop
inputSchema: {type: object, properties: {n: {type: integer, minimum: 1}}, required: [n]}
outputSchema: {type: object, properties: {sum: {type: number}}, required: [sum]}
nodes:
  - {id: entry, type: entry, next: add}
  - id: add
    type: transform
    transform:
      expr: |
        $executionCount("add") = 0
          ? {"i": 1, "sum": 1}
          : {"i": $.add.i + 1, "sum": $.add.sum + $.add.i + 1}
    next: more
  - id: more
    type: switch
    conditions:
      - {rule: {"<": [{var: $.add.i}, {var: $.entry.n}]}, next: add}
    next: exit
  - {id: exit, type: exit, result: {expr: '{"sum": $.add.sum}'}}
`,
				Arguments: json.RawMessage(`{"n":4}`),
				Result:    json.RawMessage(`{"sum":10}`),
			},
		},
	},
	Picture:  Picture{Suffix: "{…}"},
	Evidence: []string{"transform"},
	Aliases:  strings.Fields("jsonata map code function script compute expression set javascript template format filter reduce aggregate transformer"),
	Guide:    GuideRow{Fields: "transform: {expr}, next", Output: "the value of the expression"},
	Fields: []Field{
		{Name: "transform", Type: "object", Required: true, Doc: "transform: {expr: <JSONata over $.<node id>>}"},
		{Name: "next", Type: "node-id", Edges: true, Required: true, Doc: "id of the node that follows", Aliases: nextAliases},
	},
	RecoverKey: looseExpr,
	Modifiers:  AllModifiers,
	Compile: func(p *Pass, n *Node) Compiled {
		edges := p.Next(n)
		next := edges[0].To
		x := p.transformExpr(n)
		return Compiled{Edges: edges, Pure: true, Infer: func(t *Types) types.Type { return t.Expr(x) }, Step: func(ctx context.Context, s *State) (Outcome, error) {
			v, err := x.Eval(ctx, s)
			return Outcome{Output: v, Next: next}, err
		}}
	},
})

var ruleTransformShape = diag.Define("transform-shape", diag.Error,
	"The expression of a transform node is not in transform: {expr: …}.")

// transformExpr compiles the expression of a transform node.
func (p *Pass) transformExpr(n *Node) *Expr {
	v := p.Require(n, "transform")
	switch x := v.Expr(); {
	case !v.Exists():
		return nil
	case !x.Exists() || v.Len() > 1 || n.suppressed["transform"]:
		return p.misplacedExpr(n, v)
	default:
		return p.Expr(n, x.Value)
	}
}
