package expr

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
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
	steps           int
	watched         bool
	known           *[64]measured // what measure remembers, or nil
	stopped         error         // once set, the answer of every Err
	greedy          atomic.Bool   // set by the heap watch
}

const (
	stepsPerCheck = 16                   // few, as one step may double a string
	watchAfter    = 5 * time.Millisecond // no evaluation shorter than this pays for the heap watch
)

// begin readies g for one evaluation.
func (g *guard) begin(ctx context.Context, s *Scope) {
	g.Context, g.scope, g.limits = ctx, s, s.limits
	g.start, g.steps, g.stopped = time.Now(), 0, nil
	g.greedy.Store(false)
}

// end releases what the evaluation held.
func (g *guard) end() {
	if g.watched {
		heap.forget(g)
		g.watched = false
	}
	g.Context, g.known = nil, nil
}

// Err implements [context.Context] for the evaluator.
func (g *guard) Err() error {
	g.steps++
	if g.steps%stepsPerCheck != 0 {
		return g.stopped
	}
	return g.check()
}

// check looks at the clock, the caller's context and the heap watch.
func (g *guard) check() error {
	if g.stopped != nil {
		return g.stopped
	}
	lasted := time.Since(g.start)
	switch err := g.Context.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		g.stopped = &Error{Code: "timeout", Message: "the time of the run ended while the expression was being evaluated"}
	case err != nil:
		g.stopped = &Error{Code: "cancelled", Message: "the run was cancelled while the expression was being evaluated"}
	case g.greedy.Load():
		g.stopped = tooGreedy(g.limits.MaxHeap)
	case lasted > g.limits.Timeout:
		g.stopped = timedOut(g.limits.Timeout)
	case lasted > watchAfter && !g.watched:
		g.watched = true
		heap.watch(g)
	}
	return g.stopped
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
