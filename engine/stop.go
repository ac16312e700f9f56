package engine

import (
	"context"
	"fmt"

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

// revisit executes again what a step consists of, for the record of those steps. The
// step itself is as it is recorded, and nothing after it sees what they came to.
func (s *State) revisit(ctx context.Context, n *planNode, step func(context.Context) (Outcome, error)) {
	if n.restore != nil && s.step.Simulated == "" && s.step.Err == nil {
		return // restoring the step executes them
	}
	before := *s
	s.hist = s.hist.Fork()
	s.scope = s.scope.Child(s.hist)
	s.step.Attempts, s.step.Simulated = 0, ""
	s.freeze()
	_, _ = step(ctx)
	*s = before
}

var CodeTooManyExecutions = diag.DefineFault("too-many-executions", diag.EndsRun, "the run reached `maxNodeExecutions`", "correct the loop's condition, or raise `executionLimits`")

// tooMany is the fault of a run that would execute more nodes than it may: how far it
// has come, what an iteration costs, and which limit to write.
func (s *State) tooMany(n *planNode) *diag.Fault {
	f := &diag.Fault{
		Code: CodeTooManyExecutions, Node: n.id,
		Message: fmt.Sprintf("stopped before node %q after %d node executions, the limit", n.id, s.run.limit),
	}
	looped, times := "", 1
	for id, at := range s.hist.ByID {
		if len(at) > times || len(at) == times && times > 1 && id < looped {
			looped, times = id, len(at)
		}
	}
	next := 10 * s.run.limit
	if looped == "" {
		f.Hint = s.raise(next, "")
		return f
	}
	each := float64(s.run.limit) / float64(times)
	f.Message += fmt.Sprintf("; node %q was executed %d times, at about %.3g node executions an iteration", looped, times, each)
	f.Hint = s.raise(next, fmt.Sprintf(" for %d iterations", int(float64(next)/each)))
	return f
}

// tooManyItems is the fault of a foreach that has more items than node executions are
// left.
func (s *State) tooManyItems(n *planNode, items, left int) *diag.Fault {
	return &diag.Fault{
		Code: CodeTooManyExecutions, Node: n.id,
		Message: fmt.Sprintf("%q has %d items, and only %d of the run's %d node executions are left", n.id, items, left, s.run.limit),
		Hint:    s.raise(roundUp(s.run.limit-left+items), ""),
	}
}

// raise says which limit to write, as far as the operator allows it.
func (s *State) raise(limit int, what string) string {
	ceiling := fmt.Sprintf("the operator's ceiling is %d (limits.maxNodeExecutions in patchbay.yaml)", s.run.most)
	if s.run.limit >= s.run.most {
		return "do less in one run; " + ceiling
	}
	if limit > s.run.most {
		limit, what = s.run.most, ""
	}
	return fmt.Sprintf("write executionLimits: {maxNodeExecutions: %d} in the document%s, or let the loop end earlier; %s", limit, what, ceiling)
}

// roundUp returns the next number with one digit and zeros, and at least 1,000, to
// leave some room.
func roundUp(n int) int {
	unit := 1000
	for unit*10 <= n {
		unit *= 10
	}
	return (n/unit + 1) * unit
}
