package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// Start implements [Runner].
func (l *Local) Start(ctx context.Context, plan *engine.Plan, arguments json.RawMessage, s StartOptions) (*run.Record, *diag.Fault) {
	o := local.Options{Options: s.Options, Principal: s.Principal, Project: l.o.Project, Mode: s.Mode, Mask: l.o.Mask, Observer: local.Observer{Event: s.OnEvent}}
	o.NewRun = true
	if o.ID == "" {
		o.ID = local.NewID()
	}
	if o.Limits == (run.Limits{}) {
		o.Limits = l.o.Limits
	}
	return l.execute(ctx, plan.Name, o, s.Client, func(ctx context.Context, caller run.Caller, o local.Options) *run.Record {
		return local.Run(ctx, plan, l.checked(plan, caller, o.Mode), arguments, o)
	})
}

// Resume implements [Runner].
func (l *Local) Resume(ctx context.Context, plan *engine.Plan, rec *run.Record, c Client) (*run.Record, *diag.Fault) {
	rec.Options.Limits.MaxTokens, rec.Options.Limits.MaxTokensPerDay = l.o.Limits.MaxTokens, l.o.Limits.MaxTokensPerDay // which may have been raised
	o := local.Options{Options: rec.Options, Principal: rec.Principal, Mode: rec.Mode, Mask: l.o.Mask, Observer: local.Observer{Event: c.OnEvent}}
	o.ID = rec.ID
	if l.o.Project != "" {
		rec.Project = l.o.Project
	}
	if n := len(rec.Resumed); n > 0 {
		c.resumed = rec.Resumed[n-1].At
	}
	return l.execute(ctx, plan.Name, o, c, func(ctx context.Context, caller run.Caller, o local.Options) *run.Record {
		return local.Resume(ctx, plan, l.checked(plan, caller, o.Mode), rec, o)
	})
}

// A walk executes a run and returns its record.
type walk func(context.Context, run.Caller, local.Options) *run.Record

// execute does what Start and Resume have in common. The run executes on a context
// of its own, with the values of ctx: it can outlast the call that started it.
func (l *Local) execute(ctx context.Context, graph string, o local.Options, c Client, do walk) (*run.Record, *diag.Fault) {
	store, fault := l.store()
	if fault != nil {
		return nil, fault
	}
	unbegun, late, stop := c.late()
	defer stop()
	active, fault := l.register(ctx, unbegun, &o, &c)
	if fault != nil {
		return nil, fault
	}
	if c.Within {
		o.Beside = l.beside
	} else {
		o.Place = &place{l, active, c.Of(o.Principal)}
	}
	active.journal = runJournal{store, active}
	o.Journal, o.Keeper = &active.journal, &active.keeper
	o.State, _ = store.(run.StateStore)
	o.MaxReply = l.o.MaxReply
	if spent, ok := store.(TokenStore); ok {
		o.TokensOn = func(graph string, day time.Time) (int, error) { return spent.TokensOn(l.o.Project, graph, day) }
	}
	if !c.Unattended {
		active.held.runner, active.held.run = l, active
		o.Holder, o.MaxHeld = &active.held, l.o.MaxHeld
	}
	if c.stays() {
		defer context.AfterFunc(ctx, func() { active.cancel(callerLeft(ctx)) })()
		l.carryOut(active, &c, graph, o, do)
		return active.record, active.fault
	}
	active.begun = make(chan struct{})
	go l.carryOut(active, &c, graph, o, do)
	if c.Background {
		return l.leave(store, active)
	}
	return l.wait(ctx, &c, late, store, active)
}

// carryOut executes a run: it observes it, and schedules the time limit of a question
// that the run leaves. A panic is the fault of this run only.
func (l *Local) carryOut(a *activeRun, c *Client, graph string, o local.Options, do walk) {
	defer l.release(a)
	defer c.disconnected(a)()
	tell := l.watch(graph, c.resumed, &o)
	if c.Debugger != nil {
		defer c.Debugger.End()
		o.Debugger, o.Observer.Pause = c.Debugger, tell.paused(graph, &o)
	}
	defer func() {
		if p := recover(); p != nil {
			l.log.Error("a run panicked", "run", a.id, "principal", a.principal, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			a.fault = panicked(p)
			l.endPanicked(a.id, a.fault)
			tell.stopped(&run.Record{ID: a.id, Graph: graph, Principal: a.principal, Status: run.Failed, Fault: a.fault, Ended: time.Now()})
		}
	}()
	var caller run.Caller
	if next := l.o.Calls(a.context, o.Mode); next != nil {
		a.caller = patientCaller{l, next}
		caller = &a.caller
	}
	ctx, observer := l.observe(a.context, graph, &o)
	rec := do(ctx, observer.caller(caller), o)
	observer.ended(rec)
	tell.stopped(rec)
	l.scheduleTimeout(rec)
	if l.o.Observer.Stopped != nil {
		l.o.Observer.Stopped(rec)
	}
	a.record = rec
}
