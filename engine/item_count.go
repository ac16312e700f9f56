package engine

import (
	"context"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
)

// ItemCount returns for how many items a step of a record executes its node, also while it
// does. It returns 0 for a step without foreach, of a called graph, and where the items
// cannot be computed from the record.
func (p *Plan) ItemCount(ctx context.Context, rec *run.Record, step int) int {
	s := rec.Steps[step]
	n := p.executed(s)
	if n == nil || !n.perItem {
		return 0
	}
	items := n.foreach.Get("items")
	switch {
	case s.Ended > 0:
		return len(foreachItems(s.Input))
	case items.Is(graph.Array):
		return items.Len()
	}
	scope := rec.ScopeAt(step, expr.Limits{})
	scope.Repeat(true)
	scope.Freeze(s.Started, rec.ID, s.Key)
	for _, x := range n.exprs {
		if !inside(x.at, items) {
			continue
		}
		v, err := x.compiled.program.Eval(ctx, scope)
		if err != nil {
			return 0
		}
		return len(foreachItems(v))
	}
	return 0
}
