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
		NodeType:    "exit",
		Title:       "Exit",
		Description: "Where a run ends. The tool's result is the output of the node before it, or the value of the expression in result.",
		Tags:        []string{"end", "output", "result", "return"},
		Intents:     []string{"end of the graph", "return the result", "give the answer back to the caller", "finish the run"},
		InputPorts:  []specs.Port{{Name: "input", Type: "any", Required: true, Description: "the node executed before"}},
		Skeleton:    json.RawMessage(`{"id":"exit","type":"exit"}`),
		Examples: []specs.Example{{
			Title: "Return a computed result",
			Graph: `name: greet
description: Greets someone by name
inputSchema: {type: object, properties: {name: {type: string}}, required: [name]}
outputSchema: {type: object, properties: {greeting: {type: string}}, required: [greeting]}
nodes:
  - {id: entry, type: entry, next: exit}
  - {id: exit, type: exit, result: {expr: '{"greeting": "Hello " & $.entry.name}'}}
`,
			Arguments: json.RawMessage(`{"name":"Ada"}`),
			Result:    json.RawMessage(`{"greeting":"Hello Ada"}`),
		}},
	},
	Ends:      true,
	Picture:   Picture{Outline: Oval, Bare: true},
	Tolerated: []string{"tool", "next"},
	Aliases:   strings.Fields("end output return stop finish result exitpoint exit_point sink respond final"),
	Guide:     GuideRow{Fields: "result: {expr} (optional)", Output: "the result; without `result`, the output of the node before"},
	Fields: []Field{
		{Name: "result", Type: "any", Doc: "{expr: <JSONata>} computes the result; without it, the output of the node executed before", Aliases: strings.Fields("output value return returns response outputs")},
	},
	Compile: func(p *Pass, n *Node) Compiled {
		v := n.Field("result")
		if !v.Exists() {
			return Compiled{Pure: true, Infer: (*Types).checkPrevious, Step: func(_ context.Context, s *State) (Outcome, error) {
				last, _ := s.hist.Previous(1)
				return Outcome{Output: last, Next: NoNode}, nil
			}}
		}
		result := p.Computed(n, v, "result")
		return Compiled{Pure: true, Infer: func(t *Types) types.Type { return t.checkResult(n, v, t.Template(result)) }, Step: func(ctx context.Context, s *State) (Outcome, error) {
			v, err := result.Eval(ctx, s)
			return Outcome{Output: v, Next: NoNode}, err
		}}
	},
})

var ruleBareExpression = diag.Define("bare-expression", diag.Error,
	"A field that takes {expr: …} or a literal contains an expression as text. As a literal it would not be evaluated.")
