package runs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
)

// InFlight implements [Runner].
func (l *Local) InFlight() (running, queued int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.active), l.queued
}

// RunningIDs implements [Runner].
func (l *Local) RunningIDs() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.active))
}

// register makes a run one of those that execute, when there is a slot for it. It waits
// for one until ctx ends or it is late. The run has a context of its own, with the
// values of ctx. Who executes it releases it.
func (l *Local) register(ctx context.Context, late <-chan time.Time, principal, id string) (*activeRun, *diag.Fault) {
	if fault := l.acquireSlot(ctx, late); fault != nil {
		return nil, fault
	}
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	active := &activeRun{id: id, principal: principal, context: own, cancel: cancel, begun: make(chan struct{}), done: make(chan struct{})}
	if ctx.Err() != nil {
		cancel(callerLeft(ctx))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var fault *diag.Fault
	switch {
	case l.closed:
		fault = shuttingDown()
	case l.active[id] != nil:
		fault = diag.Faultf("run-busy", "the run %s is already running", id)
	}
	if fault != nil {
		<-l.slots
		cancel(nil)
		return nil, fault
	}
	l.active[id] = active
	l.work.Add(1)
	l.stopTimeout(id)
	return active, nil
}

// release ends what register began, when the run has stopped.
func (l *Local) release(a *activeRun) {
	l.mu.Lock()
	delete(l.active, a.id)
	l.mu.Unlock()
	close(a.done)
	a.cancel(nil)
	<-l.slots
	l.work.Done()
}

// acquireSlot waits until a run may execute. It refuses the run if the queue is full,
// and when it is late.
func (l *Local) acquireSlot(ctx context.Context, late <-chan time.Time) *diag.Fault {
	select {
	case l.slots <- struct{}{}:
		return nil
	default:
	}
	l.mu.Lock()
	if queued := l.queued; queued >= l.o.MaxQueued {
		l.mu.Unlock()
		return &diag.Fault{
			Code: "too-many-runs", Message: fmt.Sprintf("%d runs are in progress and %d are queued, which is the maximum", cap(l.slots), queued),
			Hint: "try again later; the operator sets limits.maxRuns and limits.maxQueuedRuns",
		}
	}
	l.queued++
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		l.queued--
		l.mu.Unlock()
	}()
	select {
	case l.slots <- struct{}{}:
		return nil
	case <-late:
		return &diag.Fault{
			Code: "too-many-runs", Message: fmt.Sprintf("the run has not started: %d runs are in progress, which is the maximum", cap(l.slots)),
			Hint: "try again later; the operator sets limits.maxRuns",
		}
	case <-ctx.Done():
		return &diag.Fault{Code: "cancelled", Message: "the run was cancelled before it started", Err: context.Cause(ctx)}
	}
}

// find returns a run of this process that executes, or nil.
func (l *Local) find(id string) *activeRun {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.active[id]
}

// stop ends a run of this process, if it executes.
func (l *Local) stop(id string, why *diag.Fault) {
	if active := l.find(id); active != nil {
		active.cancel(why)
	}
}
