package admission

import (
	"context"
	"sync/atomic"
	"time"
)

// A Turn is the right of one goroutine to compute, held or not, and the memory that
// it has reserved. Its methods are for that goroutine only; those of a nil Turn do
// nothing. What is nested in the work of a turn belongs to it and asks for nothing.
type Turn struct {
	queue     *Queue
	principal string
	request   uint64
	held      bool
	since     time.Time // when it was entered, or when computing without it began
	reserved  int64
	detached  bool // its result is not awaited
}

// Enter returns when the turn is held, or with the context's cause.
func (t *Turn) Enter(ctx context.Context) error { return t.enter(ctx, nil, false) }

// EnterBefore is Enter for new work: it returns [ErrFull] if too many wait, and [ErrLate]
// when late receives.
func (t *Turn) EnterBefore(ctx context.Context, late <-chan time.Time) error {
	return t.enter(ctx, late, true)
}

func (t *Turn) enter(ctx context.Context, late <-chan time.Time, isNew bool) error {
	if t == nil || t.queue == nil || t.held {
		return nil
	}
	if err := t.queue.enter(ctx, late, t, isNew); err != nil {
		return err
	}
	t.held, t.since = true, time.Now()
	return nil
}

// Continue is called at now, again and again, by work that may turn out to be short:
// it enters the turn after a few milliseconds without a [Turn.Pause], and then yields
// as [Turn.Yield] does.
func (t *Turn) Continue(ctx context.Context, now time.Time) error {
	switch {
	case t == nil:
		return nil
	case t.held:
		return t.Yield(ctx)
	case t.since.IsZero():
		t.since = now
	case now.Sub(t.since) >= grace:
		return t.Enter(ctx)
	}
	return nil
}

// Yield lets others have the turn if they wait for it and it has lasted for a [Slice],
// and returns when it is held again.
func (t *Turn) Yield(ctx context.Context) error {
	if t == nil || !t.held || t.queue.waiting.Load() == 0 || time.Since(t.since) < Slice {
		return nil
	}
	t.Pause()
	return t.Enter(ctx)
}

// Pause gives the turn back, if it is held, before its goroutine waits for something
// else. Memory stays reserved.
func (t *Turn) Pause() {
	if t == nil {
		return
	}
	t.since = time.Time{}
	if t.held {
		t.held = false
		t.queue.leave(t.principal)
	}
}

// Reserve returns when n bytes of memory are reserved, and how many bytes to give
// back with [Turn.Return]. While it waits the turn is given back. What has been
// reserved already covers what is nested in it: then nothing more is. The error is a
// [*TooLarge], or the context's cause.
func (t *Turn) Reserve(ctx context.Context, n int64) (int64, error) {
	if t == nil || t.reserved > 0 || n <= 0 {
		return 0, nil
	}
	held := t.held
	if err := t.queue.reserve(ctx, t, n); err != nil {
		return 0, err
	}
	t.reserved = n
	if held {
		return n, t.Enter(ctx)
	}
	return n, nil
}

// Return gives n bytes of the reserved memory back.
func (t *Turn) Return(n int64) {
	if t == nil || n == 0 {
		return
	}
	t.reserved -= n
	t.queue.unreserve(n)
}

// ReservedByAll returns how many bytes all turns of the queue have reserved.
func (t *Turn) ReservedByAll() int64 {
	if t == nil {
		return 0
	}
	return t.queue.State().Reserved
}

// Most returns how many bytes can be reserved at once, 0 without a bound.
func (t *Turn) Most() int64 {
	if t == nil {
		return 0
	}
	return t.queue.memory.size
}

// Holder returns the principal and the request that a turn belongs to. Those of a nil Turn
// are "" and a request of its own.
func (t *Turn) Holder() (principal string, request uint64) {
	if t == nil {
		return "", NewRequest()
	}
	return t.principal, t.request
}

// End gives everything back.
func (t *Turn) End() {
	if t == nil {
		return
	}
	t.Return(t.reserved)
	t.Pause()
}

// Fork returns a turn for another goroutine of the same request.
func (t *Turn) Fork() Turn {
	return Turn{queue: t.queue, principal: t.principal, request: t.request, detached: t.detached}
}

// Detach is Fork for a goroutine whose result is not awaited.
func (t *Turn) Detach() Turn {
	fork := t.Fork()
	fork.detached = true
	return fork
}

// Work is the context of work that holds a turn. It is used by pointer.
type Work struct {
	context.Context
	Turn Turn
}

type turnKey struct{}

// Value implements [context.Context].
func (w *Work) Value(key any) any {
	if key == (turnKey{}) {
		return &w.Turn
	}
	return w.Context.Value(key)
}

// From returns the turn of the work that a context belongs to, nil without one.
func From(ctx context.Context) *Turn {
	t, _ := ctx.Value(turnKey{}).(*Turn)
	if t == nil || t.queue == nil {
		return nil
	}
	return t
}

var lastRequest atomic.Uint64

// NewRequest returns the number of a request that no other has.
func NewRequest() uint64 { return lastRequest.Add(1) }

// Without returns a context of the same request that belongs to no work with a turn, for
// what several goroutines of it share.
func Without(ctx context.Context) context.Context {
	return context.WithValue(ctx, turnKey{}, (*Turn)(nil))
}
