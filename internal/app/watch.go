package app

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// A Meter hears how long runs and node executions took, and how they ended. Its
// methods are called by many runs at the same time, and must be quick.
type Meter interface {
	// Run hears of a run that has stopped; the outcome is its status.
	Run(outcome string, d time.Duration)
	// Node hears of a node execution that has ended, an item of a foreach and a
	// step of a nested graph included: the node's type, and succeeded, failed or
	// caught, which is a failure after which the run went on.
	Node(kind, outcome string, d time.Duration)
}

// The outcomes of node executions.
const (
	NodeSucceeded = "succeeded"
	NodeFailed    = "failed"
	NodeCaught    = "caught"
)

// Measure lets a meter hear of every run from now on. It must be called before
// the first run.
func (pb *App) Measure(m Meter) { pb.meters = append(pb.meters, m) }

// Load returns how many runs are going on, and how many wait for their turn.
func (pb *App) Load() (running, queued int) {
	r := pb.runner
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.active), r.waiting
}

// Going returns the ids of the runs that are going on in this process, sorted.
func (pb *App) Going() []string {
	pb.runner.mu.Lock()
	defer pb.runner.mu.Unlock()
	return slices.Sorted(maps.Keys(pb.runner.active))
}

// A watch follows one run for the log, the meters and the tracer. It never tells
// them arguments, outputs or messages, which may hold what is nobody's business.
type watch struct {
	pb      *App
	run     string
	graph   string
	started time.Time
	spans   *spans // nil without a tracer
}

// watch begins to follow a run. Where nobody listens to its nodes, they cost
// nothing.
func (pb *App) watch(ctx context.Context, graph string, o *local.Options) (context.Context, *watch) {
	w := &watch{pb: pb, run: o.ID, graph: graph, started: time.Now()}
	pb.log.InfoContext(ctx, "run started", "run", w.run, "graph", graph)
	if pb.tracer != nil {
		ctx, w.spans = startSpans(ctx, pb.tracer, o.ID, graph)
		o.Hooks.Before = w.spans.before
	}
	debug := pb.log.Enabled(ctx, slog.LevelDebug)
	if debug || len(pb.meters) > 0 || w.spans != nil {
		o.Hooks.After = func(ctx context.Context, e run.Event) { w.node(ctx, &e, debug) }
	}
	return ctx, w
}

// caller lets what the run calls know in which span it is called.
func (w *watch) caller(next run.Caller) run.Caller {
	if w.spans == nil || next == nil {
		return next
	}
	return &spanCaller{next, w.spans}
}

func (w *watch) node(ctx context.Context, e *run.Event, debug bool) {
	outcome := NodeSucceeded
	switch {
	case e.Caught:
		outcome = NodeCaught
	case e.Err != nil:
		outcome = NodeFailed
	}
	for _, m := range w.pb.meters {
		m.Node(e.Type, outcome, e.Duration)
	}
	if w.spans != nil {
		w.spans.after(e, outcome)
	}
	if debug {
		w.pb.log.DebugContext(ctx, "node ended", "run", w.run, "graph", w.graph, "step", e.Key, "type", e.Type, "outcome", outcome, "ms", milliseconds(e.Duration), "code", code(e.Err))
	}
}

// ended closes the books on a run.
func (w *watch) ended(rec *run.Record) {
	took := time.Since(w.started)
	status := string(rec.Status)
	for _, m := range w.pb.meters {
		m.Run(status, took)
	}
	var why error
	if rec.Fault != nil {
		why = rec.Fault
	}
	if w.spans != nil {
		w.spans.end(status, code(why), len(rec.Steps))
	}
	if f := rec.Fault; f != nil && f.Code == "internal-error" && f.Err != nil {
		w.pb.log.Error("a run panicked", "run", w.run, "panic", f.Message, "stack", f.Err.Error())
	}
	w.pb.log.Info("run ended", "run", w.run, "graph", w.graph, "status", status, "code", code(why), "ms", milliseconds(took), "node_executions", len(rec.Steps))
}

// code is the code of a fault, or "".
func code(err error) string {
	if f, ok := err.(*diag.Fault); ok && f != nil { //nolint:errorlint // the engine's faults come unwrapped, and this is asked for every node
		return f.Code
	}
	return ""
}
