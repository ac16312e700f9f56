package execution

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/execution/schedules"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/sys/audit"
	"github.com/patchbay-mcp/patchbay/run"
)

// operators is for whom the program starts graphs that the operator has configured: the
// runs are those of the local user.
var operators = run.Actor{Principal: "local", Operator: true}

// RunSchedules starts graphs at their times, as the configuration and later [app.App.Reload]s
// say, until the App is closed.
func (ex *Execution) RunSchedules() {
	s := schedules.New(schedules.Options{Project: ex.process.Project, Store: ex.Runner, NewID: runs.NewID, Log: ex.process.Log, Start: func(ctx context.Context, s schedules.Schedule, id string) error {
		r, fault := ex.startGraph(runs.Background(request.WithActor(ctx, operators)), "schedule "+s.Name, s.Graph, s.Arguments, id)
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
	ex.Scheduler.Store(s)
	s.Set(ex.process.Config().Schedules)
	ex.process.Background(func() {
		select {
		case <-ex.process.Loaded():
			s.Run(ex.process.Working)
		case <-ex.process.Working.Done():
		}
	})
}

// startGraph starts a graph by its name as a run of an ID, "" for any, and returns when the
// run has begun. By says what starts it, for the audit log.
func (ex *Execution) startGraph(ctx context.Context, by, name string, arguments json.RawMessage, id string) (*RunResult, *diag.Fault) {
	c := request.ClientFrom(ctx, nil)
	c.Background = c.Wait == 0
	var r *RunResult
	fault := ex.plans.Approvals.MayStart(name)
	if fault == nil {
		r, fault = ex.start(request.WithClient(ctx, c), by, name, arguments, id, false)
	}
	e := &audit.Entry{Event: audit.Start, Principal: request.ActorFrom(ctx).Principal, Client: by, Graph: name, Outcome: "ok", Sent: len(arguments)}
	switch {
	case fault != nil:
		e.Outcome = fault.Code
	case r.Error != nil:
		e.Outcome, e.Run = r.Error.Code, r.RunID
	default:
		e.Run = r.RunID
	}
	ex.Reports.audited(e)
	return r, fault
}

// start starts a graph by its name. Where declared is set, it refuses arguments that the
// graph does not declare; what others send to a webhook has more than a graph reads.
func (ex *Execution) start(ctx context.Context, by, name string, arguments json.RawMessage, id string, declared bool) (*RunResult, *diag.Fault) {
	plan, found, fault := ex.plans.SavedPlan(ctx, name)
	if fault != nil {
		return nil, fault
	}
	if plan == nil {
		return nil, plans.CannotRun(name, found)
	}
	if declared {
		if fault := plan.UnknownArguments(arguments); fault != nil {
			return nil, fault
		}
	}
	o := ex.Starts(ctx, request.ClientFrom(ctx, nil))
	o.ID, o.By = id, by
	rec, fault := ex.Runner.Start(ctx, plan, arguments, o)
	if fault != nil {
		return nil, fault
	}
	return runResult(rec, reply.TraceNone), nil
}
