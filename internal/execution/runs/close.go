package runs

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/run"
)

// stopTime is how long runs may take to stop after the calls were given up.
const stopTime = 400 * time.Millisecond

// Close implements [Runner]. Runs that do not stop soon after ctx has ended are left
// to [Runner.Recover]. Further calls return when the first has.
func (l *Local) Close(ctx context.Context) {
	l.closing.Do(func() {
		l.stopAll()
		l.awaitStop(ctx)
		l.mu.Lock()
		store := l.opened
		l.mu.Unlock()
		if store == nil {
			return
		}
		if err := store.Close(); err != nil {
			l.log.Error("the store of runs cannot be closed", "error", err)
		}
	})
}

// stopAll refuses new runs and stops those that execute.
func (l *Local) stopAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.end(shuttingDown())
	for _, timer := range l.timeouts {
		timer.Stop()
	}
	for _, active := range l.active {
		active.cancel(shuttingDown())
	}
}

// awaitStop waits until nothing of this runner is at work. When ctx ends, calls that
// have not returned are given up.
func (l *Local) awaitStop(ctx context.Context) {
	stopped := make(chan struct{})
	go func() { l.work.Wait(); close(stopped) }()
	select {
	case <-stopped:
	case <-ctx.Done():
	}
	close(l.halted)
	select {
	case <-stopped:
	case <-time.After(stopTime):
		l.log.Warn("runs do not stop; the next start resumes them", "runs", l.RunningIDs())
	}
}

// goWork runs f in the background, which [Local.Close] waits for. After Close it does
// nothing.
func (l *Local) goWork(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.work.Go(f)
	}
}

// patientCaller lets a call that has left return when its run is stopped because the
// process ends.
type patientCaller struct {
	*Local
	next run.Caller
}

// CallTool implements [run.Caller].
func (c *patientCaller) CallTool(ctx context.Context, call run.Call) (*run.Result, error) {
	patient, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() {
		cause := context.Cause(ctx)
		if c.life.Err() != nil && code(cause) == run.ShuttingDown {
			select {
			case <-c.halted:
			case <-patient.Done():
			}
		}
		cancel(cause)
	})()
	return c.next.CallTool(patient, call)
}
