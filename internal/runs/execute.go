package runs

import (
	"context"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// Start implements [Runner].
func (l *Local) Start(ctx context.Context, plan *engine.Plan, arguments json.RawMessage, s StartOptions) (*run.Record, *diag.Fault) {
	o := local.Options{Options: s.Options, Principal: s.Principal, Project: l.o.Project, Mode: s.Mode, Mask: l.o.Mask, OnEvent: inTurn(l.o.OnEvent, s.OnEvent)}
	o.ID, o.NewRun = local.NewID(), true
	if o.Limits == (run.Limits{}) {
		o.Limits = l.o.Limits
	}
	return l.execute(ctx, plan.Name, o, func(ctx context.Context, caller run.Caller, o local.Options) *run.Record {
		return local.Run(ctx, plan, caller, arguments, o)
	})
}

// Resume implements [Runner].
func (l *Local) Resume(ctx context.Context, plan *engine.Plan, rec *run.Record, onEvent func(run.Event)) (*run.Record, *diag.Fault) {
	o := local.Options{Options: rec.Options, Principal: rec.Principal, Mode: rec.Mode, Mask: l.o.Mask, OnEvent: inTurn(l.o.OnEvent, onEvent)}
	o.ID = rec.ID
	if l.o.Project != "" {
		rec.Project = l.o.Project
	}
	return l.execute(ctx, plan.Name, o, func(ctx context.Context, caller run.Caller, o local.Options) *run.Record {
		return local.Resume(ctx, plan, caller, rec, o)
	})
}

// execute does what Start and Resume have in common: it waits for a slot, observes
// the run, and schedules the time limit of a question that the run leaves.
func (l *Local) execute(ctx context.Context, graph string, o local.Options, walk func(context.Context, run.Caller, local.Options) *run.Record) (*run.Record, *diag.Fault) {
	store, fault := l.store()
	if fault != nil {
		return nil, fault
	}
	o.Journal = store
	ctx, release, fault := l.register(ctx, o.Principal, o.ID)
	if fault != nil {
		return nil, fault
	}
	defer release()
	caller := l.patient(l.o.Calls(ctx, o.Mode))
	ctx, observer := l.observe(ctx, graph, &o)
	rec := walk(ctx, observer.caller(caller), o)
	observer.ended(rec)
	l.scheduleTimeout(rec)
	return rec, nil
}

// inTurn returns a function that calls each of the listeners that there are.
func inTurn(first, second func(run.Event)) func(run.Event) {
	if first == nil {
		return second
	}
	if second == nil {
		return first
	}
	return func(e run.Event) {
		first(e)
		second(e)
	}
}
