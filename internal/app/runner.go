package app

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/internal/admission"
	"github.com/patchbay-mcp/patchbay/internal/journal"
	"github.com/patchbay-mcp/patchbay/internal/runs"
	"github.com/patchbay-mcp/patchbay/run"
)

// newRunner returns what executes the runs of an application: its graphs are
// compiled with the application's catalog, and call what it can reach.
func newRunner(pb *App, o Options) runs.Runner {
	store := o.Store
	if store == nil {
		store = func() (runs.RunStore, error) { return journal.NewMemory(nil), nil }
	}
	var onCall func(context.Context, runs.CallReport)
	if o.SlowCall > 0 || o.Audit != nil {
		onCall = pb.reportCall
	}
	pb.watchers.always = o.OnEvent
	options := runs.Options{
		OnCall: onCall, OnStopped: pb.tellOf, OnQuestion: pb.tellOf, MaxHeld: o.MaxHeld, OnChange: pb.runChanges.changed,
		Store: store, Calls: pb.calls, Compile: pb.planOf, CompileAlone: pb.recordedPlan, AsChecked: pb.asChecked, Mask: o.Refer, Kinds: pb.kinds,
		Limits: o.Limits, MaxRuns: o.MaxRuns, MaxQueued: o.MaxQueued, Project: o.Project, Watch: pb.watchers.of, Logger: o.Logger, Tracer: o.Tracer, Queue: pb.queue, Pool: pb.pool,
	}
	if o.Runtime != nil {
		return o.Runtime(options)
	}
	return runs.NewLocal(options)
}

// calls is what calls reach: downstream servers, and the web. Every call that leaves for
// a downstream tool passes here, whoever makes it: run_graph, run_node, a saved tool or
// a client of the gateway ([App.CallDownstream]).
//
// In front of everything is the [interceptor], which runs workflows around calls. A call
// of the gateway is RawOnly: of its result, only Raw and IsError are set unless a workflow
// has changed it.
func (pb *App) calls(ctx context.Context, mode string) run.Caller {
	c := &callRouter{egress: pb.egress, hooks: pb.hooks, ready: pb.awaitServer, denied: pb.denial, changed: pb.changedTool, listed: pb.asListed, permit: pb.permit}
	if own, is := inTest(ctx); is {
		c.permit = func(_ context.Context, c run.Call) error { return pb.permitInTest(own, c) }
	}
	switch {
	case pb.hub == nil:
	case pb.seen == nil:
		c.tools = pb.hub
	default:
		c.tools = &observingCaller{next: pb.hub, from: pb.seen, snap: pb.catalog.Snapshot()}
	}
	tools := &toolResolver{pb: pb, ctx: forOperator(admission.Without(ctx))} // branches that call hold turns of their own
	var next run.Caller = c
	switch {
	case mode == run.DryRun:
		next = local.DryRun(c, tools)
	case ctx.Value(readOnlyKey{}) != nil:
		next = &readOnlyCaller{next: c, tools: tools}
	}
	return &interceptor{pb: pb, mode: mode, next: next, hooks: c}
}

// Recover resumes the runs of the project that an earlier process left. It returns
// when it has found them; they execute in the background. Those that a missing server
// stops are resumed when a server becomes ready.
func (pb *App) Recover() {
	pb.recovers.Store(true)
	pb.runs.Recover()
}

// serverReady resumes the runs that wait for a server.
func (pb *App) serverReady(string) {
	if pb.recovers.Load() {
		pb.background(pb.runs.Recover)
	}
}

// InFlight returns how many runs execute, and how many wait for their turn.
func (pb *App) InFlight() (running, queued int) { return pb.runs.InFlight() }

// RunningIDs returns the ids of the runs that execute in this process, sorted.
func (pb *App) RunningIDs() []string { return pb.runs.RunningIDs() }

// AddMetrics lets metrics know of every run that starts or resumes from now on, and of the
// requests around which workflows run if they have a method Workflow.
func (pb *App) AddMetrics(m Metrics) {
	if w, ok := m.(workflowMetrics); ok {
		pb.mu.Lock()
		pb.reporters = append(pb.reporters, w)
		pb.mu.Unlock()
	}
	pb.runs.AddMetrics(m)
}

// workflowMetrics count the requests around which workflows run.
type workflowMetrics interface {
	// Workflow is called when a workflow has answered a request; the outcome is passed,
	// changed, blocked or failed.
	Workflow(outcome string, d time.Duration)
}

// workflowEnded reports what a workflow has made of a request.
func (pb *App) workflowEnded(outcome string, d time.Duration) {
	pb.mu.Lock()
	reporters := pb.reporters
	pb.mu.Unlock()
	for _, m := range reporters {
		m.Workflow(outcome, d)
	}
}

// Crashes is the code of a parked run that may have ended its process, more than once.
const Crashes = runs.Crashes

// Metrics count runs and node executions.
type Metrics = runs.Metrics

// The outcomes of node executions.
const (
	NodeSucceeded = runs.NodeSucceeded
	NodeFailed    = runs.NodeFailed
	NodeCaught    = runs.NodeCaught
)
