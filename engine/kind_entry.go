package engine

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

var _ = Register(Kind{
	Spec: specs.Spec{
		NodeType:    "entry",
		Title:       "Entry",
		Description: "Where a run starts. Its output is the call's arguments, checked against the tool's inputSchema and with its defaults filled in: $.entry.<argument>.",
		Tags:        []string{"start", "input", "arguments", "trigger"},
		Intents:     []string{"start of the graph", "receive the arguments", "read the input of the tool", "take parameters from the caller"},
		OutputPorts: []specs.Port{{Name: "output", Type: "object", Description: "the call's arguments", MaxConnections: 1}},
		Skeleton:    json.RawMessage(`{"id":"entry","type":"entry","next":"exit"}`),
		Examples: []specs.Example{{
			Title: "Hand the arguments back",
			Graph: `name: echo
description: Returns its arguments
inputSchema: {type: object, properties: {text: {type: string}}, required: [text]}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: exit}
  - {id: exit, type: exit}
`,
			Arguments: json.RawMessage(`{"text":"hello"}`),
			Result:    json.RawMessage(`{"text":"hello"}`),
		}},
	},
	Starts:    true,
	Picture:   Picture{Outline: Oval, Bare: true},
	Tolerated: []string{"tool"},
	Aliases:   strings.Fields("start input trigger begin entrypoint entry_point manual-trigger source"),
	Guide:     GuideRow{Output: "the call's arguments, checked, with defaults"},
	Fields: []Field{
		{Name: "next", Type: "node-id", Edges: true, Required: true, Doc: "id of the first node to run", Aliases: nextAliases},
	},
	Compile: func(p *Pass, n *Node) Compiled {
		edges := p.Next(n)
		next := edges[0].To
		input := p.plan.input.ArgumentType()
		return Compiled{Edges: edges, Pure: true, Infer: func(*Types) types.Type { return input }, Step: func(_ context.Context, s *State) (Outcome, error) {
			return Outcome{Output: s.input, Next: next}, nil
		}}
	},
})

// nextAliases are what authors call the field next.
var nextAliases = strings.Fields("goto target to then default nextNode next_node nextStep on_success onSuccess next_id nextId edge edges successor outputs")
