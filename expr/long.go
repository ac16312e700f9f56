package expr

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/admission"
)

// continueLong lets a long evaluation continue, in its turn and in the memory that it
// has reserved. It returns why the evaluation ends, or nil.
func (g *guard) continueLong() error {
	if err := g.watch(); err != nil {
		return err
	}
	tooMuch, err := heap.check(g.Context, g)
	if err == nil && !tooMuch {
		err = g.pausing(func() error { return g.turn.Yield(g.Context) })
	}
	switch {
	case tooMuch:
		return outOfMemory(g.limits.MaxHeap)
	case err != nil:
		return g.overNow()
	}
	return nil
}

// overNow is the error of an evaluation that has waited in vain.
func (g *guard) overNow() error {
	if err := g.over(0); err != nil {
		return err
	}
	return timedOut(g.limits.Timeout)
}

// watch makes an evaluation one that is long: from now on it holds a turn, and its
// memory is reserved and watched.
func (g *guard) watch() error {
	if g.watched {
		return nil
	}
	g.turn = admission.From(g.Context)
	if most := g.turn.Most(); most > 0 {
		g.limits.MaxHeap = min(g.limits.MaxHeap, most)
	}
	err := g.waiting(g.Context, func(ctx context.Context) (err error) {
		if g.reserved, err = g.turn.Reserve(ctx, g.limits.MaxHeap); err != nil {
			return err
		}
		return g.turn.Enter(ctx)
	})
	if err != nil {
		g.turn.Return(g.reserved)
		g.reserved = 0
		return g.overNow()
	}
	g.watched = true
	heap.watch(g)
	return nil
}

// freeWait is how long an evaluation may wait for others without that counting as its
// time. So each is answered in time, and few end because others took long.
const freeWait = time.Second

// wait returns when next receives. Meanwhile others have the turn. It counts as time of
// the evaluation for one that is known to hold much memory meanwhile.
func (g *guard) wait(ctx context.Context, next <-chan struct{}, counts bool) error {
	wait := func(ctx context.Context) error {
		g.turn.Pause()
		select {
		case <-next:
			return g.turn.Enter(ctx)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if counts {
		return wait(ctx)
	}
	return g.waiting(ctx, wait)
}

// waiting calls f, which may wait, until the time of the evaluation is over, with what it
// may wait beyond it.
func (g *guard) waiting(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithDeadline(ctx, g.start.Add(g.limits.Timeout+freeWait-g.waited))
	defer cancel()
	return g.pausing(func() error { return f(ctx) })
}

// pausing calls f, which may wait, outside of the time of the evaluation.
func (g *guard) pausing(f func() error) error {
	began := time.Now()
	err := f()
	free := min(time.Since(began), freeWait-g.waited)
	g.waited += free
	g.start = g.start.Add(free)
	return err
}
