package local

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/run"
)

// background runs the detached branches of one execution of a graph.
type background struct {
	rt     *runtime
	ctx    context.Context //nolint:containedctx // of the graph
	cancel context.CancelCauseFunc
	group  Group
}

// Background implements [engine.Runtime].
func (r *runtime) Background(ctx context.Context) engine.Background {
	b := &background{rt: r, group: r.world.Group(ctx)}
	b.ctx, b.cancel = context.WithCancelCause(ctx)
	return b
}

var codeTooManyBeside = diag.DefineFault("too-many-beside", diag.FailsAttempt, "a branch beside a call was left out (in the log): 256 others are not done yet", "make the branch quicker, or log less")

// Go calls f at the same time as what follows. In a replay it is done at once: what is not
// recorded is not waited for.
func (b *background) Go(key string, f func(ctx context.Context) error) {
	places := b.rt.o.Beside
	if places != nil {
		select {
		case places <- struct{}{}:
		default:
			if log := b.rt.o.Observer.DetachedFault; log != nil {
				log(key, diag.Faultf(codeTooManyBeside, "the branch was left out: %d others are not done yet", cap(places)))
			}
			return
		}
	}
	call := func(ctx context.Context) {
		if turn := admission.From(ctx); turn != nil {
			w := &admission.Work{Context: ctx, Turn: turn.Detach()}
			defer w.Turn.End()
			ctx = w
		}
		err := contained(ctx, 0, func(ctx context.Context, _ int) error { return f(ctx) })
		if log := b.rt.o.Observer.DetachedFault; err != nil && log != nil && context.Cause(b.ctx) == nil {
			log(key, run.AsFault(err))
		}
	}
	if b.rt.past != nil && b.rt.past.replay {
		call(b.ctx)
		return
	}
	b.rt.branches.add(1)
	b.group.Go(b.ctx, func(ctx context.Context) {
		defer b.rt.branches.add(-1)
		if places != nil {
			defer func() { <-places }()
		}
		call(ctx)
	})
}

// End waits for the branches, which it ends unless the run is parked.
func (b *background) End(err error) {
	if !run.Parked(err) {
		b.cancel(run.Ended())
	}
	b.Wait()
}

// Wait waits for the branches.
func (b *background) Wait() {
	b.rt.branches.add(-1)
	b.group.Wait()
	b.rt.branches.add(1)
	b.cancel(nil)
}
