package adding

import (
	"context"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/types"
)

// whenModifier leaves a node out unless an expression is true: its output is then null.
var whenModifier = &engine.Modifier{
	Field: engine.Field{Name: "when", Type: "jsonata", Doc: "when: {expr: <JSONata>}: unless it is true, the node does nothing and its output is null", Aliases: []string{"if", "condition"}},
	Compile: func(p *engine.Pass, n *engine.Node, v graph.Value) engine.Around {
		condition := p.Computed(n, v, "when")
		return func(c engine.Compiled) engine.Compiled {
			next := engine.NoNode
			if len(c.Edges) > 0 {
				next = c.Edges[0].To
			}
			c.Step = onlyWhen(condition, c.Step, next)
			if infer := c.Infer; infer != nil {
				c.Infer = func(t *engine.Types) types.Type { return infer(t).With(types.Null) }
			}
			return c
		}
	},
}

// onlyWhen goes to the next node, without the step, unless a condition is true.
func onlyWhen(condition *engine.Template, step engine.Step, next engine.NodeIndex) engine.Step {
	return func(ctx context.Context, s *engine.State) (engine.Outcome, error) {
		v, err := condition.Eval(ctx, s)
		if err != nil {
			return engine.Outcome{}, err
		}
		if v != true {
			return engine.Outcome{Output: expr.Null(), Next: next}, nil
		}
		return step(ctx, s)
	}
}
