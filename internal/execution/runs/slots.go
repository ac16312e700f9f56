package runs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/internal/sys/timelimit"
)

// InFlight implements [Runner].
func (l *Local) InFlight() (running, queued int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.active), l.slots.State().Waiting
}

// RunningIDs implements [Runner].
func (l *Local) RunningIDs() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.active))
}

// register makes a run one of those that execute, when there is a slot for it. It waits
// for one until ctx ends or it is late; one within another run needs none. The run has a context of its own, with the
// values of ctx. Who executes it releases it.
func (l *Local) register(ctx context.Context, late <-chan time.Time, o *local.Options, c *Client) (*activeRun, *diag.Fault) {
	asks, request := c.Of(o.Principal), admission.NewRequest()
	active := &activeRun{values: detached{ctx}, id: o.ID, principal: o.Principal, slot: l.slots.Turn(asks, request), done: make(chan struct{})}
	if !c.Within {
		if fault := l.acquireSlot(ctx, late, active, asks); fault != nil {
			return nil, fault
		}
	}
	active.work = admission.Work{Context: &active.values, Turn: l.o.Queue.Turn(asks, request)}
	active.context, active.cancel = context.WithCancelCause(&active.work)
	active.keeper = keeper{share: l.o.Pool.Share(asks, request), end: active.cancel}
	if ctx.Err() != nil {
		active.cancel(callerLeft(ctx))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var fault *diag.Fault
	switch {
	case l.closed:
		fault = shuttingDown()
	case l.active[o.ID] != nil:
		fault = diag.Faultf(diag.CodeRunBusy, "the run %s is already running", o.ID)
	}
	if fault != nil {
		active.slot.End()
		active.cancel(nil)
		return nil, fault
	}
	l.active[o.ID] = active
	l.work.Add(1)
	l.stopTimeout(o.ID)
	return active, nil
}

// detached is a context with the values of another, which does not end.
type detached struct{ of context.Context }

func (*detached) Deadline() (time.Time, bool) { return time.Time{}, false }

func (*detached) Done() <-chan struct{} { return nil }

func (*detached) Err() error { return nil }

func (d *detached) Value(key any) any { return d.of.Value(key) }

// release ends what register began, when the run has stopped.
func (l *Local) release(a *activeRun) {
	l.mu.Lock()
	delete(l.active, a.id)
	l.mu.Unlock()
	close(a.done)
	a.cancel(nil)
	a.work.Turn.End()
	a.keeper.share.Close()
	a.slot.End()
	l.work.Done()
}

// acquireSlot waits until a run may execute. It refuses the run if the queue is full,
// when it is late, and while too many runs wait without a place.
func (l *Local) acquireSlot(ctx context.Context, late <-chan time.Time, a *activeRun, client string) *diag.Fault {
	l.mu.Lock()
	own, all := l.away[client], l.allAway
	l.mu.Unlock()
	if most := l.o.MaxRuns + l.o.MaxQueued; own >= most/2 || all >= most {
		return &diag.Fault{
			Code: diag.CodeTooManyRuns, Message: fmt.Sprintf("%d runs wait for a time or a person, %d of them yours; the maximum is %d, and half of it for one client", all, own, most),
			Hint: "cancel_run ends those that are not needed; the operator sets limits.maxRuns and limits.maxQueuedRuns",
		}
	}
	switch err := a.slot.EnterBefore(ctx, late); {
	case err == nil:
		return nil
	case errors.Is(err, admission.ErrFull):
		return &diag.Fault{
			Code: diag.CodeTooManyRuns, Message: fmt.Sprintf("%d runs are in progress and %d are queued, which is the maximum", l.o.MaxRuns, l.o.MaxQueued),
			Hint: "try again later; the operator sets limits.maxRuns and limits.maxQueuedRuns",
		}
	case errors.Is(err, admission.ErrLate):
		return &diag.Fault{
			Code: diag.CodeTooManyRuns, Message: fmt.Sprintf("the run has not started: %d runs are in progress, which is the maximum", l.o.MaxRuns),
			Hint: "try again later; the operator sets limits.maxRuns",
		}
	}
	return &diag.Fault{Code: diag.CodeCancelled, Message: "the run was cancelled before it started", Err: context.Cause(ctx)}
}

// A place is that of a run among those that execute. The run gives it back while it waits.
type place struct {
	runner *Local
	run    *activeRun
	client string
}

// Leave implements [local.Place].
func (p *place) Leave() {
	p.count(1)
	p.run.slot.Pause()
}

// Return implements [local.Place]. The time until then does not count for the run.
func (p *place) Return(ctx context.Context) error {
	defer timelimit.Pause(ctx)()
	err := p.run.slot.Enter(p.run.context)
	p.count(-1)
	return err
}

func (p *place) count(n int) {
	l := p.runner
	l.mu.Lock()
	defer l.mu.Unlock()
	l.allAway += n
	if l.away[p.client] += n; l.away[p.client] == 0 {
		delete(l.away, p.client)
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
