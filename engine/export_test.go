package engine

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// CompileAnyway is [Compile] that returns the plan of a graph with errors, too: what
// the engine would do if the checker let it.
func CompileAnyway(doc *graph.Document, env Env) (*Plan, diag.List) {
	l := &diag.List{}
	p := newPass(context.Background(), doc, env, l)
	p.checkDocument()
	if p.tool = p.pick(""); p.tool == nil {
		return nil, l.Sort()
	}
	_, found := p.compile()
	return p.plan, found
}

// ForgetExpressions empties the cache of expressions.
func ForgetExpressions() { exprCache().Purge() }
