package engine

import (
	"sync"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// compiledExpr is all that is known of an expression's text, or of a path of a rule. It
// is immutable and shared by every plan that has the text.
type compiledExpr struct {
	expr.Reader
	program *expr.Program // nil of a path
	ast     *jsonata.AST  // nil of a path
	refs    *jsonata.Refs
	fault   *jsonata.Error // why the text is not an expression; the others are then nil
}

// name writes the id of a node, or a field, as the text has names.
func (c *compiledExpr) name(id string) string {
	if c.program == nil {
		return id
	}
	return quoteID(id)
}

const (
	// exprCacheSize is how many expressions are kept: a thousand graphs of ten.
	exprCacheSize = 10_000
	// exprCacheText is the length in bytes above which an expression is kept for its
	// pass only.
	exprCacheText = 4096
	// exprCacheTexts is how many bytes the texts of those that are kept have together. What
	// is compiled takes up to 240 times as much memory.
	exprCacheTexts = 256 << 10
)

// exprCache are the expressions that were used last.
var exprCache = sync.OnceValue(func() *cache.Cache[string, *compiledExpr] {
	return cache.Texts[*compiledExpr](exprCacheSize, exprCacheTexts)
})

// compileExpr compiles a JSONata text, unless it is in the cache.
func compileExpr(src string) *compiledExpr {
	if c, ok := exprCache().Get(src); ok {
		return c
	}
	c := &compiledExpr{}
	if c.program, c.fault = expr.Compile(src); c.fault == nil {
		c.Reader, c.ast = c.program, c.program.AST()
		c.refs = c.ast.Refs()
	}
	if len(src) <= exprCacheText {
		exprCache().Add(src, c)
	}
	return c
}

// compileExpr compiles a JSONata text, at most once in a pass.
func (p *Pass) compileExpr(src string) (*compiledExpr, *jsonata.Error) {
	p.did(len(src))
	if len(src) <= exprCacheText {
		c := compileExpr(src)
		return c, c.fault
	}
	c := p.longExprs[src]
	if c == nil {
		if c = compileExpr(src); p.longExprs == nil {
			p.longExprs = map[string]*compiledExpr{}
		}
		p.longExprs[src] = c
	}
	return c, c.fault
}

// program returns the program of a JSONata text.
func (p *Pass) program(src string) (*expr.Program, *jsonata.Error) {
	c, fault := p.compileExpr(src)
	return c.program, fault
}
