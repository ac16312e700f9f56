package runner

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// Start implements [runs.Runner]. A run whose id is taken is not started again: what Start
// returns is about the run that has it.
func (r *Runner) Start(ctx context.Context, plan *engine.Plan, arguments json.RawMessage, s runs.StartOptions) (*run.Record, *diag.Fault) {
	if s.Debugger != nil {
		s.Debugger.End()
		return nil, offeredNot("a run cannot be paused by breakpoints")
	}
	if s.ID == "" {
		s.ID = runs.NewID()
	}
	if s.Limits == (run.Limits{}) {
		s.Limits = r.o.Limits
	}
	pinned, err := wire.Pin(ctx, plan, r.o.Limits, r.o.MaxReply)
	if err != nil {
		return nil, run.AsFault(err)
	}
	in := wire.NewInput(plan, pinned, arguments, s.Options, time.Now())
	in.Record.Principal, in.Record.Project, in.Record.Mode = s.Principal, r.o.Project, s.Mode
	if fault := r.execute(ctx, in, enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE); fault != nil {
		return nil, fault
	}
	return r.wait(ctx, &s.Client, s.ID, r.listen(&s.Client, s.ID, true))
}

// Resume implements [runs.Runner]. A run that is parked continues in its workflow; one that
// has ended continues in another workflow with the same id.
func (r *Runner) Resume(ctx context.Context, plan *engine.Plan, rec *run.Record, c runs.Client) (*run.Record, *diag.Fault) {
	pinned, err := wire.Pin(ctx, plan, r.o.Limits, r.o.MaxReply)
	if err != nil {
		return nil, run.AsFault(err)
	}
	in := wire.Input{Record: wire.Record{Record: *rec}, Pinned: pinned, Resume: true}
	in.Record.Options.ID = rec.ID
	in.Record.Options.Limits.MaxTokens = r.o.Limits.MaxTokens // which may have been raised
	if r.o.Project != "" {
		in.Record.Project = r.o.Project
	}
	r.complete(&in)
	fault := r.update(ctx, rec.ID, wire.UpdateResume, in)
	if fault != nil && fault.Code == diag.CodeNotRunning {
		in.Record.Status, in.Record.Fault, in.Record.Ended = run.Running, nil, time.Time{}
		fault = r.execute(ctx, in, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE)
	}
	if fault != nil {
		return nil, fault
	}
	r.changed(rec.ID)
	l := r.listen(&c, rec.ID, true)
	l.resumes(rec)
	return r.wait(ctx, &c, rec.ID, l)
}

// complete sets what of an input follows from the settings.
func (r *Runner) complete(in *wire.Input) {
	in.Queue, in.MaxHeld, in.Indexed = r.t.TaskQueue, r.o.MaxHeld, r.indexed()
	if in.MaxHeld == 0 {
		in.MaxHeld = runs.DefaultMaxHeld
	}
}

// execute starts the workflow of a run. One that is there already is not a fault.
func (r *Runner) execute(ctx context.Context, in wire.Input, reuse enumspb.WorkflowIdReusePolicy) *diag.Fault {
	r.complete(&in)
	rec := &in.Record
	o := client.StartWorkflowOptions{
		ID: rec.ID, TaskQueue: r.t.TaskQueue, WorkflowTaskTimeout: r.patient, WorkflowIDReusePolicy: reuse, WorkflowExecutionErrorWhenAlreadyStarted: true,
		Memo: map[string]any{wire.MemoSummary: wire.Status{
			ID: rec.ID, Graph: rec.Graph, Project: rec.Project, Principal: rec.Principal, Around: rec.Options.Around, Status: run.Running, Started: rec.Started, Steps: len(rec.Steps),
		}},
		StaticSummary: rec.Graph,
	}
	if in.Indexed {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(
			wire.AttributeGraph.ValueSet(rec.Graph), wire.AttributeProject.ValueSet(rec.Project),
			wire.AttributePrincipal.ValueSet(rec.Principal), wire.AttributeStatus.ValueSet(string(run.Running)),
		)
	}
	ctx, cancel := bounded(ctx)
	defer cancel()
	_, err := r.client.ExecuteWorkflow(ctx, o, wire.Workflow, in)
	if _, there := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); err != nil && !there {
		return r.fault(rec.ID, err)
	}
	r.changed(rec.ID)
	return nil
}

// update sends a message to a workflow, and returns when the workflow has handled it.
func (r *Runner) update(ctx context.Context, id, name string, message any) *diag.Fault {
	ctx, cancel := bounded(ctx)
	defer cancel()
	h, err := r.client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: id, UpdateName: name, Args: []any{message}, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err == nil {
		err = h.Get(ctx, nil)
	}
	switch _, ended := errors.AsType[*serviceerror.NotFound](err); {
	case err == nil:
		return nil
	case ended:
		return diag.Faultf(diag.CodeNotRunning, "the run %s does not execute", id)
	}
	return r.fault(id, err)
}

// Reply implements [runs.Runner].
func (r *Runner) Reply(actor run.Actor, id, key string, answer json.RawMessage) *diag.Fault {
	ctx := context.Background()
	if _, fault := r.describe(ctx, actor, id); fault != nil {
		return fault
	}
	return r.update(ctx, id, wire.UpdateAnswer, wire.Answer{Key: key, Answer: answer})
}
