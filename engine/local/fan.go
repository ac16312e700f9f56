package local

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/run"
)

// Fan runs f for 0 … n-1, at most limit at a time. Of several that failed, the
// error of the one that failed by itself is returned, the first of those; else the
// first that parked.
func (r *runtime) Fan(ctx context.Context, n, limit int, f func(ctx context.Context, i int) error) error {
	if r.past != nil && r.past.look != nil {
		return inTurn(ctx, n, f)
	}
	if limit = min(limit, n); limit <= 1 {
		for i := range n {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if err := f(ctx, i); err != nil {
				return err
			}
		}
		return nil
	}
	fanned, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		next   atomic.Int64
		failed sync.Once
		first  error
		waits  sync.Once
		parked error
	)
	turn := admission.From(ctx)
	turn.Pause()
	r.branches.add(limit - 1)
	group := r.world.Group(ctx)
	for range limit {
		group.Go(fanned, func(own context.Context) {
			defer r.branches.add(-1)
			if turn != nil {
				w := &admission.Work{Context: own, Turn: turn.Fork()}
				defer w.Turn.End()
				own = w
			}
			for i := int(next.Add(1)) - 1; i < n && context.Cause(fanned) == nil; i = int(next.Add(1)) - 1 {
				switch err := contained(own, i, f); {
				case err == nil:
				case run.Parked(err) && context.Cause(fanned) == nil:
					waits.Do(func() { parked = err })
				default:
					failed.Do(func() {
						first = err
						cancel(run.Abandoned(err))
					})
				}
			}
		})
	}
	group.Wait()
	r.branches.add(1)
	switch {
	case first != nil:
		return first
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	}
	return parked
}

// contained turns a panic, which would end the process on a goroutine of its own,
// into an error.
func contained(ctx context.Context, i int, f func(context.Context, int) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = internal(p)
		}
	}()
	return f(ctx, i)
}

// internal is the fault of a run that panicked.
func internal(p any) *diag.Fault {
	return &diag.Fault{Code: diag.CodeInternalError, Message: fmt.Sprintf("internal error in Patchbay: %v", p), Err: fmt.Errorf("%v\n%s", p, debug.Stack())}
}
