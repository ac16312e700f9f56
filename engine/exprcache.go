package engine

import (
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// compiledExpr is all that is known of an expression's text. It is immutable and
// shared by every plan that has the text.
type compiledExpr struct {
	program *expr.Program
	ast     *jsonata.AST
	refs    *jsonata.Refs
}

// exprCacheSize is how many expressions are kept: a thousand graphs of ten.
const exprCacheSize = 10_000

// exprCacheText is the length in bytes above which an expression is not kept.
const exprCacheText = 4096

var exprCache = sync.OnceValue(func() *lru.Cache[string, *compiledExpr] {
	c, err := lru.New[string, *compiledExpr](exprCacheSize)
	if err != nil {
		panic(err)
	}
	return c
})

// compileExpr compiles a JSONata text once.
func compileExpr(src string) (*compiledExpr, *jsonata.Error) {
	if c, ok := exprCache().Get(src); ok {
		return c, nil
	}
	program, err := expr.Prepare(src)
	if err != nil {
		return nil, err
	}
	c := &compiledExpr{program: program, ast: program.AST(), refs: program.AST().Refs()}
	if len(src) <= exprCacheText {
		exprCache().Add(src, c)
	}
	return c, nil
}
