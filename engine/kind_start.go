package engine

import (
	"context"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

var _ = Register(Kind{
	Spec: specs.Spec{
		NodeType:    "start",
		Title:       "Start of a workflow",
		Description: "Where a workflow around calls starts. Its output is the context: {request: {method, params}, metadata: {clientId, serverName, workflowId, startedAt, shared}}. Expressions read the newest context as $context.",
		Tags:        []string{"workflow", "hook", "request", "intercept", "middleware"},
		Intents:     []string{"start of a workflow around requests", "receive a request before its server does", "intercept requests"},
		OutputPorts: []specs.Port{{Name: "output", Type: "object", Description: "the context; one output leads on to the end, the others are detached"}},
		Skeleton:    json.RawMessage(`{"id":"start","type":"start","next":"call"}`),
		Examples:    []specs.Example{passOn},
	},
	Starts:     true,
	InWorkflow: true,
	Detaches:   true,
	Picture:    Picture{Outline: Oval, Bare: true},
	Fields: []Field{
		{Name: "next", Type: "node-id", Edges: true, Required: true, Doc: "id of the first node to run", Aliases: nextAliases},
		detachField,
	},
	Recover: severalNext,
	Compile: func(p *Pass, n *Node) Compiled {
		edges := p.outputs(n)
		next := edges[0].To
		return Compiled{Edges: edges, Context: true, Pure: true, Infer: func(t *Types) types.Type { return t.pass.plan.workflow.contextType(false) }, Step: func(_ context.Context, s *State) (Outcome, error) {
			c, ok := s.input.(expr.Object)
			if _, asked := objectAt(c, "request"); !ok || !asked {
				return Outcome{}, diag.Faultf(codeNoContext, "the arguments of a workflow are not a request").
					WithHint(`a workflow runs around a call; to run it by itself, give it {"request": {"method": "tools/call", "params": {"name": "…", "arguments": {}}}, "metadata": {}}`)
			}
			return Outcome{Output: c, Next: next}, nil
		}}
	},
})

// passOn is a workflow that changes nothing.
var passOn = specs.Example{
	Title: "A workflow that changes nothing",
	Graph: `name: pass_on
description: Passes calls on as they are
workflow: {on: tools/call}
nodes:
  - {id: start, type: start, next: call}
  - {id: call, type: mcp-call, next: end}
  - {id: end, type: end}
`,
	Arguments: json.RawMessage(`{"request":{"method":"tools/call","params":{"name":"read","arguments":{"path":"a"}}},"metadata":{"clientId":"editor","serverName":"files","workflowId":"pass_on","startedAt":"2026-01-01T00:00:00Z","shared":{}}}`),
	Pins:      map[string]json.RawMessage{"call": json.RawMessage(`{"request":{"method":"tools/call","params":{"name":"read","arguments":{"path":"a"}}},"response":{"content":[{"type":"text","text":"hello"}]},"metadata":{}}`)},
	Result:    json.RawMessage(`{"content":[{"type":"text","text":"hello"}]}`),
}
