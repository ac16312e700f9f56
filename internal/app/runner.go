package app

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/run"
)

// newRunner returns what executes the runs of an application: its graphs are
// compiled with the application's catalog, and call what it can reach.
func newRunner(a *App, o Options) runs.Runner {
	store := o.Store
	if store == nil {
		store = func() (runs.RunStore, error) { return journal.NewMemory(nil), nil }
	}
	var onCall func(context.Context, runs.CallReport)
	if o.SlowCall > 0 || o.Audit != nil {
		onCall = a.reportCall
	}
	a.execution.watchers.always = o.OnEvent
	options := runs.Options{
		MaxHeld:  o.MaxHeld,
		Observer: runs.Observer{Called: onCall, Stopped: a.notifyQuestions, Question: a.notifyQuestions, Changed: a.execution.runChanges.changed, Watch: a.execution.watchers.of},
		Store:    store, Calls: a.calls, Compile: a.planOfRun, CompileAlone: a.recordedPlan, AsChecked: a.asChecked, Mask: o.Refer, Kinds: a.authoring.kinds,
		Limits: o.Limits, MaxRuns: o.MaxRuns, MaxQueued: o.MaxQueued, Project: o.Project, Logger: o.Logger, Tracer: o.Tracer, Queue: a.execution.queue, Pool: a.execution.pool,
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
func (a *App) calls(ctx context.Context, mode string) run.Caller {
	c := &callRouter{egress: a.servers.egress, hooks: a.around.hooks, ready: a.awaitServer, denied: a.denial, changed: a.changedTool, listed: a.asListed, permit: a.permit}
	if own, is := inTest(ctx); is {
		c.permit = func(_ context.Context, c run.Call) error { return a.permitInTest(own, c) }
	}
	switch {
	case a.servers.hub == nil:
	case a.discovery.seen == nil:
		c.tools = a.servers.hub
	default:
		c.tools = &observingCaller{next: a.servers.hub, from: a.discovery.seen, snap: a.discovery.catalog.Snapshot()}
	}
	tools := &toolResolver{app: a, ctx: forOperator(admission.Without(ctx))} // branches that call hold turns of their own
	var next run.Caller = c
	switch {
	case mode == run.DryRun:
		next = local.DryRun(c, tools)
	case ctx.Value(readOnlyKey{}) != nil:
		next = &readOnlyCaller{next: c, tools: tools}
	}
	return &interceptor{app: a, mode: mode, next: next, hooks: c}
}

// Recover resumes the runs of the project that an earlier process left. It returns
// when it has found them; they execute in the background. Those that a missing server
// stops are resumed when a server becomes ready.
func (a *App) Recover() {
	a.execution.recovers.Store(true)
	a.execution.runs.Recover()
}

// serverReady resumes the runs that wait for a server.
func (a *App) serverReady(string) {
	if a.execution.recovers.Load() {
		a.background(a.execution.runs.Recover)
	}
}

// InFlight returns how many runs execute, and how many wait for their turn.
func (a *App) InFlight() (running, queued int) { return a.execution.runs.InFlight() }

// RunningIDs returns the ids of the runs that execute in this process, sorted.
func (a *App) RunningIDs() []string { return a.execution.runs.RunningIDs() }

// AddMetrics lets metrics know of every run that starts or resumes from now on, and of the
// requests around which workflows run if they have a method Workflow.
func (a *App) AddMetrics(m Metrics) {
	if w, ok := m.(workflowMetrics); ok {
		a.listeners.mu.Lock()
		a.around.reporters = append(a.around.reporters, w)
		a.listeners.mu.Unlock()
	}
	a.execution.runs.AddMetrics(m)
}

// workflowMetrics count the requests around which workflows run.
type workflowMetrics interface {
	// Workflow is called when a workflow has answered a request; the outcome is passed,
	// changed, blocked or failed.
	Workflow(outcome string, d time.Duration)
}

// workflowEnded reports what a workflow has made of a request.
func (a *App) workflowEnded(outcome string, d time.Duration) {
	a.listeners.mu.Lock()
	reporters := a.around.reporters
	a.listeners.mu.Unlock()
	for _, m := range reporters {
		m.Workflow(outcome, d)
	}
}

// Crashes is the code of a parked run that may have ended its process, more than once.
var Crashes = runs.Crashes

// Metrics count runs and node executions.
type Metrics = runs.Metrics

// The outcomes of node executions.
const (
	NodeSucceeded = runs.NodeSucceeded
	NodeFailed    = runs.NodeFailed
	NodeCaught    = runs.NodeCaught
)
