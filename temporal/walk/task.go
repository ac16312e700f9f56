package walk

import (
	"context"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/patchbay-mcp/patchbay/expr"
)

// A worker has to answer a workflow task within TaskTimeout, in a message of limited size.
// A task that does not is repeated, and fails again. So what a task does is bounded by what
// is counted, which a replay counts in the same way: it ends with a timer, and the next
// task continues. What one execution of the workflow computes is bounded too, because a
// worker that takes it over computes all of it in one task.
const (
	maxSteps  = 500     // that begin in a task
	maxSent   = 1 << 20 // bytes of the activities that begin in it
	maxFlying = 500     // activities at the same time; a service takes 2,000

	// The steps of expressions: a quiet machine takes 20 million in about a second.
	maxPerNode = 20_000_000 // of one execution of a node
	maxPerTask = 5_000_000  // after which a task ends before the next expression
	maxTotal   = 20_000_000 // after which the run continues as a new execution
)

// A task counts what a workflow task has done.
type task struct {
	length   int // of the history, when it began
	steps    int
	sent     int
	computed int // steps of expressions
	ending   bool
}

// current returns the task in progress.
func (w *world) current() *task {
	if length := workflow.GetInfo(w.root).GetCurrentHistoryLength(); length != w.task.length {
		w.task = task{length: length, ending: w.task.ending}
	}
	return &w.task
}

// yield ends the task, and returns in the next one. Only one coroutine does it for all.
func (w *world) yield(ctx context.Context) {
	if w.task.ending {
		w.wait(ctx, func() bool { return !w.task.ending })
		return
	}
	w.task.ending = true
	w.acts += eventsOfTimer
	w.wait(context.WithoutCancel(ctx), workflow.NewTimer(coroutine(ctx), time.Millisecond).IsReady)
	w.task = task{length: w.task.length}
}

// send returns when the task has room for an activity of a size.
func (w *world) send(ctx context.Context, size int) {
	w.wait(ctx, func() bool { return w.flying < maxFlying })
	for t := w.current(); t.sent > 0 && t.sent+size > maxSent && context.Cause(ctx) == nil; t = w.current() {
		w.yield(ctx)
	}
	w.flying++
	w.task.sent += size
}

func (w *world) received() { w.flying-- }

// meter counts what the expressions of the run compute.
func (w *world) meter() *expr.Meter {
	return &expr.Meter{
		MaxSteps: maxPerNode,
		Before: func(ctx context.Context) {
			for w.current().computed >= maxPerTask && context.Cause(ctx) == nil {
				w.yield(ctx)
			}
		},
		After: func(steps int) {
			w.task.computed += steps
			w.total += steps
		},
	}
}
