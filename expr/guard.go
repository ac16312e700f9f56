package expr

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/admission"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// A guard ends an evaluation that takes too long or too much. It is the context
// of the evaluation: the evaluator asks its Err at every step, on the one
// goroutine that evaluates, so no timer and no goroutine is needed until an
// evaluation turns out to be long.
type guard struct {
	context.Context // the caller's
	scope           *Scope
	limits          Limits
	start           time.Time
	waited          time.Duration // for others, outside of its time
	steps           int
	most            int           // that there may be, or 0
	due             int           // the step at which to check next
	checked         time.Duration // after how long was checked last
	watched         bool
	ranged          int             // items of ranges, and of what became part of arrays, so far
	known           *[64]measured   // what measure remembers, or nil
	stopped         error           // once set, the answer of every Err
	turn            *admission.Turn // of the work that evaluates, once it is long; or nil
	reserved        int64           // bytes of memory, for this evaluation
	share                           // what the heap watch knows of it
	urgent          atomic.Bool     // set by the heap watch: the next step is checked
}

// A check costs as much as some steps, but a step may also double a string: how
// many go by unchecked depends on how long the last ones took. Once the heap watch
// is on, none goes by unchecked for longer than its sampling.
const (
	firstSteps = 4
	fewSteps   = 16
	manySteps  = 64
	quickSteps = 10 * time.Microsecond // so short, many may follow
	slowSteps  = time.Millisecond      // so long, the next is checked

	watchAfter = 5 * time.Millisecond // no evaluation shorter than this pays for the heap watch
	watchItems = 100_000              // but one that makes so many items at once
)

// begin readies g for one evaluation.
func (g *guard) begin(ctx context.Context, s *Scope) {
	g.Context, g.scope, g.limits = ctx, s, s.limits
	g.start, g.waited, g.steps, g.stopped = time.Now(), 0, 0, nil
	g.due, g.checked, g.ranged = firstSteps, 0, 0
	g.urgent.Store(false)
}

// end releases what the evaluation held.
func (g *guard) end() {
	if g.watched {
		heap.forget(g)
		g.turn.Return(g.reserved)
		g.watched, g.turn, g.reserved, g.share = false, nil, 0, share{}
	}
	g.Context, g.known = nil, nil
}

// Err implements [context.Context] for the evaluator.
func (g *guard) Err() error {
	if g.steps++; g.steps < g.due && !g.urgent.Load() {
		return g.stopped
	}
	return g.check()
}

// check looks at the clock, the caller's context and the heap watch.
func (g *guard) check() error {
	if g.stopped != nil {
		return g.stopped
	}
	g.urgent.Store(false)
	lasted := time.Since(g.start)
	since := lasted - g.checked
	switch {
	case since < quickSteps && g.steps >= g.due:
		g.due = g.steps + manySteps
	case since < slowSteps:
		g.due = g.steps + fewSteps
	default:
		g.due = g.steps + 1
	}
	g.checked = lasted
	if g.stopped = g.over(lasted); g.stopped == nil && (g.watched || lasted > watchAfter || heap.apart.Load()) {
		g.stopped = g.continueLong()
	}
	return g.stopped
}

// over is the error of an evaluation whose time is over, or nil.
func (g *guard) over(lasted time.Duration) error {
	switch err := g.Context.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		return &jsonata.Error{Code: "timeout", Message: "the time of the run ended while the expression was being evaluated"}
	case err != nil:
		return &jsonata.Error{Code: "cancelled", Message: "the run was cancelled while the expression was being evaluated"}
	case lasted > g.limits.Timeout || g.most > 0 && g.steps > g.most:
		return timedOut(g.limits.Timeout)
	}
	return nil
}

// guardOf returns the guard of the evaluation that called a function.
func guardOf(f frame) *guard {
	g, ok := f.Context().(*guard)
	if !ok {
		panic("expr: evaluated without a guard")
	}
	return g
}

// text refuses a string of n bytes that would be too long, before it is made.
func (g *guard) text(name string, n int) error {
	if n < 0 || n > g.limits.MaxResult {
		return g.stop(tooBig("the result of $"+name, g.limits.MaxResult))
	}
	return g.Err()
}

// items refuses an array of n items that would be too long.
func (g *guard) items(name string, n int) error {
	if n > g.limits.MaxItems {
		return g.stop(tooMany("the result of $"+name, g.limits.MaxItems))
	}
	return g.Err()
}

// stop makes err final: JSONata's predicates evaluate a failed filter twice.
func (g *guard) stop(err error) error {
	g.stopped = err
	return err
}

// spend counts work of n units that the evaluator does not see, such as
// compiling n bytes.
func (g *guard) spend(n int) error {
	g.steps += n
	return g.check()
}
