package runs

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

const (
	cancelWait  = 2 * time.Second       // how long Cancel waits for a run to stop
	statusEvery = 50 * time.Millisecond // how often it looks at one that another process executes
)

// Cancel implements [Runner].
func (l *Local) Cancel(ctx context.Context, actor run.Actor, id string, why *diag.Fault) (run.Status, *diag.Fault) {
	store, fault := l.store()
	if fault != nil {
		return "", fault
	}
	ctx, done := context.WithTimeout(ctx, cancelWait)
	defer done()
	active := l.find(id)
	if active != nil && actor.Sees(active.principal) {
		active.cancel(why)
		select {
		case <-active.done:
		case <-ctx.Done():
		}
	}
	status, err := store.Status(actor, id)
	switch {
	case err != nil:
		return "", storeFault(id, err)
	case status == run.Interrupted:
		return l.cancelWaiting(store, actor, id, why)
	case status == run.Running && active == nil:
		return cancelElsewhere(ctx, store, actor, id)
	}
	return status, nil
}

// cancelWaiting ends a run that no process executes.
func (l *Local) cancelWaiting(store RunStore, actor run.Actor, id string, why *diag.Fault) (run.Status, *diag.Fault) {
	rec, err := store.Load(actor, id)
	if err != nil {
		return "", storeFault(id, err)
	}
	if rec.Status != run.Interrupted {
		return rec.Status, nil
	}
	rec.Status, rec.Fault, rec.Ended = run.Cancelled, why, time.Now()
	if err := file(store, rec); err != nil {
		return "", storeFault(id, err)
	}
	l.scheduleTimeout(rec)
	if l.o.Observer.Changed != nil {
		l.o.Observer.Changed(id)
	}
	return rec.Status, nil
}

// file stores the state of a run that no process executes.
func file(store RunStore, rec *run.Record) error {
	if err := store.Begin(rec, true); err != nil {
		return err
	}
	return store.End(rec, true)
}

// cancelElsewhere asks the process that executes a run to end it, and returns when
// the run has stopped or the context ends.
func cancelElsewhere(ctx context.Context, store RunStore, actor run.Actor, id string) (run.Status, *diag.Fault) {
	if err := store.Cancel(actor, id); err != nil {
		return "", storeFault(id, err)
	}
	for {
		select {
		case <-ctx.Done():
			return run.Running, nil
		case <-time.After(statusEvery):
		}
		status, err := store.Status(actor, id)
		if err != nil {
			return "", storeFault(id, err)
		}
		if status != run.Running {
			return status, nil
		}
	}
}
