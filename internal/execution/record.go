package execution

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// record finds a run that exists for the actor and is verified.
func (rs *Records) record(ctx context.Context, id string) (*run.Record, *diag.Fault) {
	if id == "" {
		return nil, diag.BadArgument("/run_id", "run_graph and run_node return it", "the call has no run_id")
	}
	rec, fault := rs.execution.Runner.Load(request.ActorFrom(ctx), id)
	return rec, atRunID(fault)
}

// LookedAt finds a run that exists for the actor, with all that can be known of it. It may be
// unverified.
func (rs *Records) LookedAt(ctx context.Context, id string) (*run.Record, *diag.Fault) {
	if id == "" {
		return rs.record(ctx, id)
	}
	rec, fault := rs.execution.Runner.Look(ctx, request.ActorFrom(ctx), id)
	return rec, atRunID(fault)
}

// Verified finds a run as lookedAt does, for what is made of it.
func (rs *Records) Verified(ctx context.Context, id string) (*run.Record, *diag.Fault) {
	rec, fault := rs.LookedAt(ctx, id)
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

// runPlans are the plans of recorded runs.
type runPlans struct{ execution *Execution }

// Of compiles what a run ran, in its turn.
func (rp *runPlans) Of(ctx context.Context, src run.Source) (*engine.Plan, *diag.Fault) {
	return rp.From(ctx, src, func(ctx context.Context) engine.Env {
		return rp.execution.plans.Env(request.ForOperator(ctx), !src.Trusted || src.Name == OneCallName) // earlier versions trusted that
	})
}

// Alone compiles what a run ran, to do it again with what it recorded: no
// server is asked, so none need be there.
func (rp *runPlans) Alone(ctx context.Context, src run.Source) (*engine.Plan, *diag.Fault) {
	return rp.From(ctx, src, func(context.Context) engine.Env { return rp.execution.plans.EnvAlone(!src.Trusted) })
}

// From compiles the source of a recorded run, with memory reserved for it.
func (rp *runPlans) From(ctx context.Context, src run.Source, env func(context.Context) engine.Env) (plan *engine.Plan, fault *diag.Fault) {
	s := &plans.Source{Text: src.Text}
	if full := rp.execution.process.Compute(ctx, s.ToCheck(), func(ctx context.Context) {
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
	if i := slices.IndexFunc(found, plans.NeedsServer); i >= 0 {
		f = diag.Faultf(runs.NeedsServer, "the run cannot continue yet: %s", found[i].Message)
		f.Hint = "patchbay serve resumes it when the server is ready"
	} else if len(found) > 0 {
		f = diag.Faultf(engine.CodeInvalidGraph, "the run's graph is no longer valid: %s", found[0].Message)
		f.Hint = found[0].Hint
	}
	return nil, f
}

// RunID returns the ID of the run that a person means: by the whole ID, by the
// beginning or the end of one, by "latest" or by "latest:STATUS". Runs are those of the
// caller's project. What is not recognized is returned as it is.
func (rs *Records) RunID(ctx context.Context, handle string) (string, *diag.Fault) {
	handle = strings.TrimPrefix(handle, run.IDCut) // as lists show it
	word, status, _ := strings.Cut(handle, ":")
	if word != plans.Latest && (len(handle) >= plans.WholeID || len(strings.TrimPrefix(handle, run.IDPrefix)) < plans.MinHandle) {
		return handle, nil
	}
	f := run.Filter{Actor: request.ActorFrom(ctx), Project: rs.execution.projects(false)}
	if word == plans.Latest {
		if fault := knownStatus(status); fault != nil {
			return "", fault
		}
		f.Status, f.Limit, f.Ordinary = run.Status(status), 1, true
	}
	list, fault := rs.execution.Runner.List(f)
	if fault != nil {
		return "", fault
	}
	if word == plans.Latest {
		if len(list) == 0 {
			return "", diag.BadArgument("/run_id", "patchbay runs list shows the runs of this project", "there is no run for %q", handle)
		}
		return list[0].ID, nil
	}
	var ids []string
	for _, s := range list {
		part := strings.ToUpper(strings.TrimPrefix(handle, run.IDPrefix))
		if strings.HasPrefix(s.ID, run.IDPrefix+part) || strings.HasSuffix(s.ID, part) {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) == 1 {
		return ids[0], nil
	}
	if len(ids) > 1 {
		fault := diag.BadArgument("/run_id", "give more of the ID", "%d runs are meant by %q", len(ids), handle)
		fault.Suggestions = ids[:min(len(ids), 5)]
		return "", fault
	}
	return handle, nil
}

// projects is whose runs a command is about: its own project's, or every project's.
func (ex *Execution) projects(all bool) string {
	if all {
		return ""
	}
	return ex.process.Project
}

var codeOtherProject = diag.DefineFault("other-project", diag.RefusesRequest, "the run belongs to another [project](durability.md#projects)", "work in that project, or `runs adopt`")

// ownRun refuses to resume a run of another project: its calls would reach this
// project's servers, which may only have the same names. A run without a project may
// be resumed, and is of this project then.
func (ex *Execution) ownRun(rec *run.Record) *diag.Fault {
	if ex.process.Project == "" || rec.Project == "" || rec.Project == ex.process.Project {
		return nil
	}
	f := diag.Faultf(codeOtherProject, "the run %s belongs to the project %s; this is %s", rec.ID, rec.Project, ex.process.Project)
	f.Path = "/run_id"
	f.Hint = "start patchbay in the folder or with the configuration of that project; if its folder was moved here, patchbay runs adopt --from " + rec.Project
	return f
}

// projectName is how people read a project.
func projectName(project string) string { return cmp.Or(project, config.NoProject) }
