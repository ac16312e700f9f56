package engine

import (
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// CompileAnyway returns the plan of a graph with errors: what the engine would do
// if the checker let it.
func CompileAnyway(doc *graph.Document, env Env) *Plan {
	l := &diag.List{}
	p := &Pass{doc: doc, env: env, diags: l, mutedKeys: map[string]bool{}}
	p.checkDocument()
	p.tool, _ = p.pick("")
	p.compile()
	return p.plan
}
