package app

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/execution/schedules"
	"github.com/patchbay-mcp/patchbay/internal/sys/audit"
	"github.com/patchbay-mcp/patchbay/run"
)

// operators is for whom the program starts graphs that the operator has configured: the
// runs are those of the local user.
var operators = run.Actor{Principal: "local", Operator: true}

// RunSchedules starts graphs at their times, as the configuration and later [App.Reload]s
// say, until the App is closed.
func (a *App) RunSchedules() {
	s := schedules.New(schedules.Options{Project: a.execution.project, Store: a.execution.runs, NewID: runs.NewID, Log: a.log, Start: func(ctx context.Context, s schedules.Schedule, id string) error {
		r, fault := a.startGraph(runs.Background(WithActor(ctx, operators)), "schedule "+s.Name, s.Graph, s.Arguments, id)
		if fault == nil && r.Error != nil && r.RunID == "" {
			fault = r.Error
		}
		switch {
		case fault == nil:
			return nil
		case fault.Code == diag.CodeTooManyRuns:
			return fmt.Errorf("%w: %w", schedules.ErrBusy, fault)
		}
		return fault
	}})
	a.execution.scheduler.Store(s)
	s.Set(a.Config().Schedules)
	a.background(func() {
		select {
		case <-a.lifecycle.loaded:
			s.Run(a.lifecycle.working)
		case <-a.lifecycle.working.Done():
		}
	})
}

// startGraph starts a graph by its name as a run of an ID, "" for any, and returns when the
// run has begun. By says what starts it, for the audit log.
func (a *App) startGraph(ctx context.Context, by, name string, arguments json.RawMessage, id string) (*RunResult, *diag.Fault) {
	c := client(ctx, nil)
	c.Background = c.Wait == 0
	var r *RunResult
	fault := a.mayStartByItself(name)
	if fault == nil {
		r, fault = a.start(WithClient(ctx, c), name, arguments, id, false)
	}
	e := &audit.Entry{Event: audit.Start, Principal: actor(ctx).Principal, Client: by, Graph: name, Outcome: "ok", Sent: len(arguments)}
	switch {
	case fault != nil:
		e.Outcome = fault.Code
	case r.Error != nil:
		e.Outcome, e.Run = r.Error.Code, r.RunID
	default:
		e.Run = r.RunID
	}
	a.audited(e)
	return r, fault
}

// start starts a graph by its name. Where declared is set, it refuses arguments that the
// graph does not declare; what others send to a webhook has more than a graph reads.
func (a *App) start(ctx context.Context, name string, arguments json.RawMessage, id string, declared bool) (*RunResult, *diag.Fault) {
	plan, found, fault := a.savedPlan(ctx, name)
	if fault != nil {
		return nil, fault
	}
	if plan == nil {
		return nil, cannotRun(name, found)
	}
	if declared {
		if fault := plan.UnknownArguments(arguments); fault != nil {
			return nil, fault
		}
	}
	o := a.starts(ctx, client(ctx, nil))
	o.ID = id
	rec, fault := a.execution.runs.Start(ctx, plan, arguments, o)
	if fault != nil {
		return nil, fault
	}
	return runResult(rec, traceNone), nil
}
