package app

import (
	"context"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/store/journal"
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
		onCall = a.Reports.Call
	}
	a.Watchers.Always = o.OnEvent
	options := runs.Options{
		MaxHeld:  o.MaxHeld,
		Observer: runs.Observer{Called: onCall, Stopped: a.Links.Notify, Question: a.Links.Notify, Changed: a.RunChanges.Changed, Watch: a.Watchers.Of},
		Store:    store, Calls: a.Calls, Compile: a.RunPlans.Of, CompileAlone: a.RunPlans.Alone, AsChecked: a.Tools.AsChecked, Mask: o.Refer, Kinds: a.Plans.Kinds,
		MaxReply: a.MaxReply,
		Limits:   o.Limits, MaxRuns: o.MaxRuns, MaxQueued: o.MaxQueued, Project: o.Project, Logger: o.Logger, Tracer: o.Tracer, Queue: a.Queue, Pool: a.Pool,
	}
	if o.Runtime != nil {
		return o.Runtime(options)
	}
	return runs.NewLocal(options)
}

// AddMetrics lets metrics know of every run that starts or resumes from now on, and of the
// requests around which workflows run if they have a method Workflow.
func (a *App) AddMetrics(m Metrics) {
	a.reportFeatures(m)
	a.Runner.AddMetrics(m)
}

// Metrics count runs and node executions.
type Metrics = runs.Metrics
