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
		return g.over(0)
	}
	return nil
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
	err := g.pausing(func() (err error) {
		if g.reserved, err = g.turn.Reserve(g.Context, g.limits.MaxHeap); err != nil {
			return err
		}
		return g.turn.Enter(g.Context)
	})
	if err != nil {
		g.turn.Return(g.reserved)
		g.reserved = 0
		return g.over(0)
	}
	g.watched = true
	heap.watch(g)
	return nil
}

// wait returns when next receives. Meanwhile others have the turn. It counts as time of
// the evaluation only for one that is known to hold much memory meanwhile.
func (g *guard) wait(ctx context.Context, next <-chan struct{}, counts bool) error {
	wait := func() error {
		g.turn.Pause()
		select {
		case <-next:
			return g.turn.Enter(ctx)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if counts {
		return wait()
	}
	return g.pausing(wait)
}

// pausing calls f, which may wait, outside of the time of the evaluation.
func (g *guard) pausing(f func() error) error {
	began := time.Now()
	err := f()
	g.start = g.start.Add(time.Since(began))
	return err
}
