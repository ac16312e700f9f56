package runs

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// Metrics count how long runs and node executions take, and how they end. The
// methods are called by many runs at the same time, and must be quick.
type Metrics interface {
	// Run is called for a run that has stopped; the outcome is its status.
	Run(outcome string, d time.Duration)
	// Node is called for a node execution that has ended, also for an item of a
	// foreach and a step of a nested graph: the type of the node, and [NodeSucceeded],
	// [NodeFailed] or [NodeCaught].
	Node(kind, outcome string, d time.Duration)
}

// The outcomes of node executions.
const (
	NodeSucceeded = "succeeded"
	NodeFailed    = "failed"
	NodeCaught    = "caught" // it failed, and the run continued
)

// AddMetrics implements [Runner].
func (l *Local) AddMetrics(m Metrics) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.metrics = append(slices.Clip(l.metrics), m)
}

// An observer reports one run to the log, the metrics and the tracer. It reports
// neither arguments nor outputs nor messages, which may be confidential.
type observer struct {
	log       *slog.Logger
	metrics   []Metrics
	run       string
	graph     string
	principal string
	report    func(context.Context, CallReport) // nil reports no calls
	changed   func(id string)                   // nil without a listener
	started   time.Time
	spans     *spans // nil without a tracer
}

// attrs are those of a line about the run, before more.
func (b *observer) attrs(more ...any) []any {
	list := append(make([]any, 0, 6+len(more)), "run", b.run, "graph", b.graph)
	if b.principal != "" {
		list = append(list, "principal", b.principal)
	}
	return append(list, more...)
}

// observe starts to report a run. Its nodes cost nothing where no report is wanted.
func (l *Local) observe(ctx context.Context, graph string, o *local.Options) (context.Context, *observer) {
	l.mu.Lock()
	b := &observer{log: l.log, metrics: l.metrics, run: o.ID, graph: graph, principal: o.Principal, report: l.o.Observer.Called, changed: l.o.Observer.Changed, started: time.Now()}
	l.mu.Unlock()
	if b.changed != nil {
		b.changed(b.run)
	}
	if b.log.Enabled(ctx, slog.LevelInfo) {
		b.log.InfoContext(ctx, "run started", b.attrs()...)
	}
	if l.o.Tracer != nil {
		ctx, b.spans = startSpans(ctx, l.o.Tracer, b)
		o.Observer.Before = b.spans.before
	}
	o.Observer.DetachedFault = func(key string, f *diag.Fault) {
		why := []any{"branch", key, "node", f.Node, "code", f.Code}
		if block := engine.HookBlock(f); block != nil { // its message is of a script of the operator's
			why = []any{"branch", key, "node", f.Node, "code", block.Code, "error", diag.Cut(diag.OneLine(block.Message), 300)}
		}
		b.log.WarnContext(ctx, "a detached branch failed", b.attrs(why...)...)
	}
	o.Observer.Tokens = func(model string, t run.Tokens) {
		for _, m := range b.metrics {
			if m, counts := m.(interface {
				Tokens(model string, t run.Tokens)
			}); counts {
				m.Tokens(model, t)
			}
		}
	}
	debug := b.log.Enabled(ctx, slog.LevelDebug)
	if debug || len(b.metrics) > 0 || b.spans != nil {
		o.Observer.After = func(ctx context.Context, e run.Event) { b.node(ctx, &e, debug) }
	}
	return ctx, b
}

// caller reports the calls of the run, if somebody asks for them.
func (b *observer) caller(next run.Caller) run.Caller {
	if b.spans == nil && b.report == nil || next == nil {
		return next
	}
	return &watchedCaller{next, b, b.report}
}

func (b *observer) node(ctx context.Context, e *run.Event, debug bool) {
	outcome := NodeSucceeded
	switch {
	case e.Caught:
		outcome = NodeCaught
	case e.Err != nil:
		outcome = NodeFailed
	}
	for _, m := range b.metrics {
		m.Node(e.Type, outcome, e.Duration)
	}
	if b.spans != nil {
		b.spans.after(e, outcome)
	}
	if debug {
		b.log.DebugContext(ctx, "node ended", b.attrs("node", e.Node, "step", e.Key, "type", e.Type, "outcome", outcome, "ms", milliseconds(e.Duration), "code", code(e.Err))...)
	}
}

// ended reports how the run stopped.
func (b *observer) ended(rec *run.Record) {
	if b.changed != nil {
		b.changed(b.run)
	}
	took := time.Since(b.started)
	status := string(rec.Status)
	for _, m := range b.metrics {
		m.Run(status, took)
	}
	why := ""
	if rec.Fault != nil {
		why = rec.Fault.Code
	}
	if b.spans != nil {
		b.spans.end(status, why, rec.Executions())
	}
	if f := rec.Fault; f != nil && f.Code == diag.CodeInternalError && f.Err != nil {
		b.log.Error("a run panicked", b.attrs("panic", f.Message, "stack", f.Err.Error())...)
	}
	if b.log.Enabled(context.Background(), slog.LevelInfo) {
		b.log.Info("run ended", b.attrs("status", status, "code", why, "ms", milliseconds(took), "node_executions", rec.Executions())...)
	}
}

// milliseconds rounds a duration to microseconds.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// code is the code of a fault, or "".
func code(err error) string {
	if f, ok := err.(*diag.Fault); ok && f != nil { //nolint:errorlint // the engine's faults come unwrapped, and this is asked for every node
		return f.Code
	}
	return ""
}
