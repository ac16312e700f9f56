package walk

import (
	"context"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// A world is a workflow as the world of a run.
type world struct {
	root   workflow.Context
	most   int // events, before the run continues as a new execution
	halted bool
	acts   int // events that this execution has made itself, about
	done   int // calls, waits and steps that have ended in it
	task   task
	flying int // activities in progress
	total  int // steps of expressions that were counted in this execution

	spent   time.Duration // of the limit of the run, before began
	began   time.Time
	limited bool // the limit of the run is set
}

var _ local.World = (*world)(nil)

// What an action adds to the history, with the task of the workflow that follows it.
const (
	eventsOfCall   = 6
	eventsOfTimer  = 5
	eventsOfMarker = 1
)

func (w *world) Now() time.Time { return workflow.Now(w.root) }

// used is how much of the run's time limit is over.
func (w *world) used() time.Duration { return w.spent + w.Now().Sub(w.began) }

// halting reports whether the run is to stop so that it continues as a new execution. It
// does so only when it has got somewhere in this one.
func (w *world) halting() bool {
	if !w.halted && w.done > 0 {
		info := workflow.GetInfo(w.root)
		w.halted = w.acts >= w.most || info.GetCurrentHistoryLength() >= w.most || info.GetContinueAsNewSuggested() || w.total >= maxTotal
	}
	return w.halted
}

// errHalting parks the run like the end of a process.
func errHalting() *diag.Fault {
	return diag.Faultf(run.ShuttingDown, "the run continues as a new execution of its workflow")
}

// Keep implements [local.Keeper]: it is called before each step.
func (w *world) Keep(ctx context.Context, _ int64) error {
	if w.halting() {
		return errHalting()
	}
	for w.current().steps >= maxSteps && context.Cause(ctx) == nil {
		w.yield(ctx)
	}
	w.task.steps++
	return context.Cause(ctx)
}

// wait returns when something is true or ctx has ended, and reports which.
func (w *world) wait(ctx context.Context, is func() bool) bool {
	_ = workflow.Await(coroutine(ctx), func() bool { return is() || ctx.Err() != nil }) // the coroutines of a run are not cancelled
	return is()
}

// Sleep implements [local.World] by a timer.
func (w *world) Sleep(ctx context.Context, d time.Duration) error {
	if cause := context.Cause(ctx); cause != nil || d <= 0 {
		return cause
	}
	w.acts += eventsOfTimer
	timed, stop := workflow.WithCancel(coroutine(ctx))
	timer := workflow.NewTimer(timed, d)
	w.wait(ctx, func() bool { return timer.IsReady() || w.halting() })
	switch {
	case context.Cause(ctx) != nil:
		stop()
		return context.Cause(ctx)
	case !timer.IsReady():
		stop()
		return errHalting()
	}
	w.done++
	return nil
}

// Deadline implements [local.World]. That of the run, which is the first, lasts as long as
// is left of it.
func (w *world) Deadline(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	if !w.limited {
		w.limited = true
		d -= w.spent
	}
	ended, cancel := context.WithCancelCause(ctx)
	l := &limit{w: w, over: of(ctx), c: coroutine(ctx), expire: func() { cancel(cause) }, left: d}
	l.start()
	return context.WithValue(ended, limitKey{}, l), func() {
		l.done = true
		l.stop()
		cancel(nil)
	}
}

// A limit ends a context when its time is over. It can be paused.
type limit struct {
	w      *world
	over   *limit // the next one out
	c      workflow.Context
	expire func()
	left   time.Duration // when it was started last
	since  time.Time
	stop   func()
	pauses int
	done   bool
}

type limitKey struct{}

func of(ctx context.Context) *limit {
	l, _ := ctx.Value(limitKey{}).(*limit)
	return l
}

func (l *limit) start() {
	l.since, l.stop = l.w.Now(), func() {}
	if l.left <= 0 {
		l.expire()
		return
	}
	l.w.acts += 2
	timed, stop := workflow.WithCancel(l.c)
	l.stop = stop
	timer := workflow.NewTimer(timed, l.left)
	workflow.Go(timed, func(c workflow.Context) {
		if timer.Get(c, nil) == nil {
			l.expire()
		}
	})
}

// pause stops all limits of a context until resume is called, once: the time in which a
// person is asked does not count.
func pause(ctx context.Context) (resume func()) {
	for l := of(ctx); l != nil; l = l.over {
		if l.pauses++; l.pauses == 1 {
			l.stop()
			l.left -= l.w.Now().Sub(l.since)
		}
	}
	return func() {
		for l := of(ctx); l != nil; l = l.over {
			if l.pauses--; l.pauses == 0 && !l.done {
				l.start()
			}
		}
	}
}

// Group implements [local.World] by coroutines.
func (w *world) Group(ctx context.Context) local.Group { return &group{of: coroutine(ctx)} }

type group struct {
	of      workflow.Context
	running int
}

func (g *group) Go(ctx context.Context, f func(ctx context.Context)) {
	g.running++
	workflow.Go(g.of, func(c workflow.Context) {
		defer func() { g.running-- }()
		f(on(ctx, c))
	})
}

func (g *group) Wait() {
	_ = workflow.Await(g.of, func() bool { return g.running == 0 }) // the coroutines of a run are not cancelled
}
