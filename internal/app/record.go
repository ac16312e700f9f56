package app

import (
	"context"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
)

// record finds a run that exists for the actor and is verified.
func (a *App) record(ctx context.Context, id string) (*run.Record, *diag.Fault) {
	if id == "" {
		return nil, diag.BadArgument("/run_id", "run_graph and run_node return it", "the call has no run_id")
	}
	rec, fault := a.execution.runs.Load(actor(ctx), id)
	return rec, atRunID(fault)
}

// lookedAt finds a run that exists for the actor, with all that can be known of it. It may be
// unverified.
func (a *App) lookedAt(ctx context.Context, id string) (*run.Record, *diag.Fault) {
	if id == "" {
		return a.record(ctx, id)
	}
	rec, fault := a.execution.runs.Look(ctx, actor(ctx), id)
	return rec, atRunID(fault)
}

// verified finds a run as lookedAt does, for what is made of it.
func (a *App) verified(ctx context.Context, id string) (*run.Record, *diag.Fault) {
	rec, fault := a.lookedAt(ctx, id)
	if fault == nil {
		fault = rec.Unverified
	}
	return rec, fault
}

// atRunID says that an unknown run is the fault of the argument run_id.
func atRunID(fault *diag.Fault) *diag.Fault {
	if fault != nil && fault.Code == runs.CodeUnknownRun {
		fault.Path = "/run_id"
	}
	return fault
}

// planOfRun compiles what a run ran, in its turn.
func (a *App) planOfRun(ctx context.Context, src run.Source) (*engine.Plan, *diag.Fault) {
	return a.planFrom(ctx, src, func(ctx context.Context) engine.Env {
		return a.env(forOperator(ctx), !src.Trusted || src.Name == oneCallName) // earlier versions trusted that
	})
}

// recordedPlan compiles what a run ran, to do it again with what it recorded: no
// server is asked, so none need be there.
func (a *App) recordedPlan(ctx context.Context, src run.Source) (*engine.Plan, *diag.Fault) {
	return a.planFrom(ctx, src, func(context.Context) engine.Env { return a.envAlone(!src.Trusted) })
}

func (a *App) planFrom(ctx context.Context, src run.Source, env func(context.Context) engine.Env) (plan *engine.Plan, fault *diag.Fault) {
	s := &source{text: src.Text}
	if full := a.compute(ctx, s.toCheck(), func(ctx context.Context) {
		plan, fault = compileRecorded(context.WithoutCancel(ctx), src, env(ctx))
	}); full != nil {
		return nil, full
	}
	return plan, fault
}

func compileRecorded(ctx context.Context, src run.Source, env engine.Env) (*engine.Plan, *diag.Fault) {
	doc, found := graph.Parse(src.Name, src.Text)
	if env.Begun = true; doc != nil {
		plan, more, _ := engine.CompileContext(ctx, doc, src.Tool, env)
		if found = append(found, more...); plan != nil && !found.HasErrors() {
			return plan, nil
		}
	}
	f := diag.Faultf(engine.CodeInvalidGraph, "the run's graph is no longer valid")
	found = found.With(diag.Error)
	if i := slices.IndexFunc(found, needsServer); i >= 0 {
		f = diag.Faultf(runs.NeedsServer, "the run cannot continue yet: %s", found[i].Message)
		f.Hint = "patchbay serve resumes it when the server is ready"
	} else if len(found) > 0 {
		f = diag.Faultf(engine.CodeInvalidGraph, "the run's graph is no longer valid: %s", found[0].Message)
		f.Hint = found[0].Hint
	}
	return nil, f
}

// needsServer reports whether a server or a tool is missing.
func needsServer(d *diag.Diagnostic) bool {
	switch d.Code {
	case diag.CodeUnknownServer, diag.CodeUnknownTool, diag.CodeToolChanged:
		return true
	}
	return serverDown(d)
}

// serverDown reports whether a server cannot be asked now.
func serverDown(d *diag.Diagnostic) bool {
	return d.Code == diag.CodeServerStarting || d.Code == diag.CodeServerFailed
}
