package runs

import (
	"context"
	"fmt"
	"maps"
	"slices"

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

// register makes a run one of those that execute, when there is a slot for it. The
// context that it returns ends with the run; release gives the slot back. The run
// ends when ctx ends; how ctx ended says whether it is cancelled or parked.
func (l *Local) register(ctx context.Context, principal, id string) (bound context.Context, release func(), fault *diag.Fault) {
	if fault := l.acquireSlot(ctx); fault != nil {
		return nil, nil, fault
	}
	bound, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() { cancel(callerLeft(ctx)) })
	if ctx.Err() != nil {
		cancel(callerLeft(ctx))
	}
	active := &activeRun{principal: principal, cancel: cancel, done: make(chan struct{})}
	l.mu.Lock()
	if l.closed || l.active[id] != nil {
		f := diag.Faultf("run-busy", "the run %s is already running", id)
		if l.closed {
			f = shuttingDown()
		}
		l.mu.Unlock()
		<-l.slots
		unhook()
		cancel(nil)
		return nil, nil, f
	}
	l.active[id] = active
	l.work.Add(1)
	l.stopTimeout(id)
	l.mu.Unlock()
	return bound, func() {
		l.mu.Lock()
		delete(l.active, id)
		l.mu.Unlock()
		close(active.done)
		unhook()
		cancel(nil)
		<-l.slots
		l.work.Done()
	}, nil
}

// acquireSlot waits until a run may execute. It refuses the run if the queue is full.
func (l *Local) acquireSlot(ctx context.Context) *diag.Fault {
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
