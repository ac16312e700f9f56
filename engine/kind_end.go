package engine

import (
	"context"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

var codeNoResponse = diag.DefineFault("no-response", diag.FailsAttempt, "a workflow came to its end without a response", "lead the path over the `mcp-call`, or to a hook that returns a response")

var _ = Register(Kind{
	Spec: specs.Spec{
		NodeType:    "end",
		Title:       "End of a workflow",
		Description: "Where a workflow around calls ends. The response of the newest context is the answer to the call. A workflow has one end, and one edge leads to it.",
		Tags:        []string{"workflow", "response", "answer", "intercept"},
		Intents:     []string{"end of a workflow around requests", "answer the intercepted request"},
		InputPorts:  []specs.Port{{Name: "input", Type: "object", Required: true, Description: "the node executed before", MaxConnections: 1}},
		Skeleton:    json.RawMessage(`{"id":"end","type":"end"}`),
		Examples:    []specs.Example{passOn},
	},
	Ends:       true,
	InWorkflow: true,
	Picture:    Picture{Outline: Oval, Bare: true},
	RecoverKey: nextOfEnd,
	Compile: func(*Pass, *Node) Compiled {
		return Compiled{Pure: true, Infer: func(*Types) types.Type { return types.ObjectOf(false) }, Step: func(_ context.Context, s *State) (Outcome, error) {
			if s.context.value != nil {
				if response, there := s.context.value.Get("response"); there {
					return Outcome{Output: response, Next: NoNode}, nil
				}
			}
			return Outcome{}, diag.Faultf(codeNoResponse, "the workflow has come to its end without a response").
				WithHint("lead the path over the mcp-call, or to a hook that returns {response: …} or blocks")
		}}
	},
})

// nextOfEnd reports an edge that leads out of an end.
func nextOfEnd(p *Pass, n *Node, key string) bool {
	if key != "next" || n.Get(key).Is(graph.Null) {
		return false
	}
	p.Report(ruleEndInputs, n.Key(key), n, "an edge leads out of %q, and an end has a single input and no output", n.ID).
		WithFix("lead to the nodes that are to run before the answer on the path to "+n.ID, n.Get(key).Remove("remove next"))
	return true
}
