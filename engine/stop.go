package engine

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// CompileContext is [Compile] that stops soon after ctx has ended. The error is then
// ctx's cause, and nothing else is returned.
func CompileContext(ctx context.Context, doc *graph.Document, tool string, env Env) (plan *Plan, found diag.List, err error) {
	defer stopping(&err)
	plan, found = compileOne(ctx, doc, tool, env)
	return plan, found, context.Cause(ctx)
}

// CompileAllContext is [CompileAll] that stops soon after ctx has ended, as
// [CompileContext] does.
func CompileAllContext(ctx context.Context, doc *graph.Document, env Env) (plans []*Plan, found diag.List, err error) {
	defer stopping(&err)
	plans, found = compileEach(ctx, doc, env)
	return plans, found, context.Cause(ctx)
}

// stopped unwinds a compilation whose context has ended.
type stopped struct{ cause error }

func stopping(err *error) {
	switch why := recover().(type) {
	case nil:
	case stopped:
		*err = why.cause
	default:
		panic(why)
	}
}

// stride is how much work is done between two looks at the context, in bytes of the
// document: less than a millisecond.
const stride = 4096

// stop ends the compilation if its context has ended.
func (p *Pass) stop() {
	if p.ctx != nil && p.ctx.Err() != nil {
		panic(stopped{context.Cause(p.ctx)})
	}
}

// did counts work, in about as many units as it has bytes of the document. It ends the
// compilation if its context has ended, and lets others have its turn.
func (p *Pass) did(work int) {
	p.work += 16 + work
	if p.work < stride || p.ctx == nil {
		return
	}
	p.work = 0
	p.stop()
	if err := p.turn.Yield(p.ctx); err != nil {
		panic(stopped{err})
	}
}
