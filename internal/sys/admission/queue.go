// Package admission shares the processors and the memory of the process among those
// who use it. Work that computes for long holds a turn of a [Queue], and reserves the
// memory that it may use. What is kept for longer, such as the values of a run, has a
// share of a [Pool]. Waiting work is served fairly: principals one after the other, the
// requests of each one after the other, and in order within a request.
//
// The holder of a turn gives it back before it waits for anything else, and work that has
// reserved memory does not wait to reserve more: so no two wait for each other. The holders of
// shares of a pool do wait for more, and one of them ends if all do. The package imports nothing
// of ours.
package admission

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// Slice is how long a turn lasts when others wait.
	Slice = 50 * time.Millisecond
	// grace is how long a [Turn] may compute without being held.
	grace = 5 * time.Millisecond
	// patience is how long the first in line waits for holders that do not compute, such
	// as a function of another program that waits for a network.
	patience = time.Second
)

// The errors of [Turn.EnterBefore].
var (
	ErrLate = errors.New("no turn came in time")
	ErrFull = errors.New("too many wait for a turn")
)

// Options of a [Queue].
type Options struct {
	Turns int   // held at the same time; 0 is two for each processor
	Bytes int64 // of memory to reserve; 0 has no bound
	// MaxWaiting is how many may wait for a turn; 0 has no bound.
	MaxWaiting int
	// Strict says that turns may be held for any time. Otherwise one that the first in
	// line has waited for in vain for a second is lent in addition.
	Strict bool
}

// A Queue gives out turns and memory. It is safe for concurrent use.
type Queue struct {
	turns      int
	maxWaiting int
	strict     bool

	waiting atomic.Int64 // for a turn

	mu     sync.Mutex
	used   int            // turns
	held   map[string]int // of them, by principal
	moved  time.Time      // when a turn was last given back or lent
	lent   int
	line   line
	memory memory
}

// New returns a queue.
func New(o Options) *Queue {
	if o.Turns == 0 {
		o.Turns = 2 * runtime.GOMAXPROCS(0)
	}
	return &Queue{turns: o.Turns, maxWaiting: o.MaxWaiting, strict: o.Strict, held: map[string]int{}, memory: memory{size: o.Bytes}}
}

// Turn returns a turn of a request, not yet held. That of a nil Queue is always held.
func (q *Queue) Turn(principal string, request uint64) Turn {
	return Turn{queue: q, principal: principal, request: request}
}

// State is what is in use of a [Queue].
type State struct {
	Turns, Waiting             int   // held, and waited for
	Reserved, Bytes            int64 // of memory, and in all; 0 bytes have no bound
	WaitingForMemory, MaxTurns int
	Lent                       int // turns lent in addition so far
}

// State returns what is in use.
func (q *Queue) State() State {
	q.mu.Lock()
	defer q.mu.Unlock()
	return State{q.used, int(q.waiting.Load()), q.memory.reserved, q.memory.size, q.memory.waiting, q.turns, q.lent}
}

// use says that a principal holds so many turns more.
func (q *Queue) use(principal string, n int) {
	q.used += n
	if q.held[principal] += n; q.held[principal] == 0 {
		delete(q.held, principal)
	}
}

// enter returns when the caller holds a turn. late ends the waiting; it may be nil. The
// turn is refused if too many wait and it is a new one.
func (q *Queue) enter(ctx context.Context, late <-chan time.Time, t *Turn, isNew bool) error {
	q.mu.Lock()
	if q.used < q.turns && q.line.empty() {
		q.use(t.principal, 1)
		q.mu.Unlock()
		return nil
	}
	if isNew && q.maxWaiting > 0 && q.waiting.Load() >= int64(q.maxWaiting) {
		q.mu.Unlock()
		return ErrFull
	}
	w := &waiter{ready: make(chan struct{})}
	q.line.push(t.principal, t.request, w)
	q.waiting.Add(1)
	q.mu.Unlock()
	defer q.waiting.Add(-1)

	var stuck <-chan time.Time
	if !q.strict {
		tick := time.NewTicker(patience)
		defer tick.Stop()
		stuck = tick.C
	}
	for {
		select {
		case <-w.ready:
			return nil
		case <-stuck:
			q.lend()
		case <-late:
			q.giveUp(w)
			return ErrLate
		case <-ctx.Done():
			q.giveUp(w)
			return context.Cause(ctx)
		}
	}
}

// giveUp ends the waiting of w, which may have been granted a turn meanwhile.
func (q *Queue) giveUp(w *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	w.gone = true
	if w.granted {
		q.use(w.of, -1)
		q.grant()
	}
}

// leave gives a turn back.
func (q *Queue) leave(principal string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.use(principal, -1)
	q.moved = time.Now()
	q.grant()
}

// grant gives free turns to those who wait.
func (q *Queue) grant() {
	for q.used < q.turns && q.grantNext() {
	}
}

// grantNext gives a turn to who is next. A principal that holds half of the turns gets no
// other while another one waits. It reports whether somebody waits.
func (q *Queue) grantNext() bool {
	q.line.prefer(func(principal string) bool { return q.held[principal] < (q.turns+1)/2 })
	w := q.line.pop()
	if w != nil {
		q.use(w.of, 1)
		w.grant()
	}
	return w != nil
}

// lend gives a turn in addition to those there are when none has been given back for
// long.
func (q *Queue) lend() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if time.Since(q.moved) < patience {
		return
	}
	if q.grantNext() {
		q.lent++
		q.moved = time.Now()
	}
}
