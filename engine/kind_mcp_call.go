package engine

import (
	"context"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
	"github.com/patchbay-mcp/patchbay/types"
)

var _ = Register(Kind{
	Spec: specs.Spec{
		NodeType:    "mcp-call",
		Title:       "The call of a workflow",
		Description: "Makes the call around which a workflow runs, with the request of the newest context. Its output is the context with the response. A path has at most one: the server is called once or not at all.",
		Tags:        []string{"workflow", "forward", "call", "intercept", "proxy"},
		Intents:     []string{"pass the intercepted request on to its server", "forward an intercepted request"},
		InputPorts:  []specs.Port{{Name: "input", Type: "object", Required: true, Description: "the node executed before"}},
		OutputPorts: []specs.Port{{Name: "output", Type: "object", Description: "the context with the response; one output leads on to the end, the others are detached"}},
		Skeleton:    json.RawMessage(`{"id":"call","type":"mcp-call","next":"end"}`),
		Examples:    []specs.Example{passOn},
	},
	Forwards:    true,
	InWorkflow:  true,
	Detaches:    true,
	ActsOutside: true,
	Fields: []Field{
		{Name: "next", Type: "node-id", Edges: true, Required: true, Doc: "id of the node that follows", Aliases: nextAliases},
		detachField,
	},
	Modifiers: OnErrorOnly,
	Recover:   severalNext,
	Compile: func(p *Pass, n *Node) Compiled {
		edges := p.outputs(n)
		c := &callAround{next: edges[0].To}
		return Compiled{Edges: edges, Context: true, Step: c.step, Call: c.call, Infer: func(t *Types) types.Type { return t.pass.plan.workflow.contextType(true) }}
	},
})

// callAround is a compiled mcp-call. That it is repeatable concerns the run of the
// workflow: the run that makes the call keeps the intent, and does not repeat it.
type callAround struct{ next NodeIndex }

var codeNoContext = diag.DefineFault("no-context", diag.FailsAttempt, "a workflow runs without a request", "it runs around calls; to try it, give it pins and `{request, metadata}` as arguments")

// call returns the request of the context.
func (c *callAround) call(_ context.Context, s *State) (run.Call, expr.Value, error) {
	var params expr.Object
	if s.context.value != nil {
		if request, ok := objectAt(s.context.value, "request"); ok {
			params, _ = objectAt(request, "params")
		}
	}
	if params == nil {
		return run.Call{}, nil, diag.Faultf(codeNoContext, "the context has no request with params")
	}
	args, err := expr.Encode(params)
	if err != nil {
		return run.Call{}, params, diag.Faultf(codeNotJSON, "the params of the request are not JSON: %w", err)
	}
	return run.Call{Server: run.WorkflowServer, Tool: s.plan.workflow.On, Args: args}, params, nil
}

func (c *callAround) step(ctx context.Context, s *State) (Outcome, error) {
	call, params, err := c.call(ctx, s)
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{Input: params, Next: c.next}
	res, err := s.Call(ctx, call)
	if err != nil {
		return out, err
	}
	response, err := s.unwrap(ctx, res)
	if err != nil {
		return out, err
	}
	out.Output = with(s.context.value, "response", response)
	return out, nil
}
