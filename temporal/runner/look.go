package runner

import (
	"context"
	"errors"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// A look is how a run stands, as the service knows it without asking a worker.
type look struct {
	wire.Status
	open bool // its workflow has not ended
	lost bool // its workflow has ended without an outcome

	attempt  int32  // at its present workflow task; 0 without one
	workflow string // the execution, whose history has so many events
	length   int64
}

// describe looks at a run that exists for an actor.
func (r *Runner) describe(ctx context.Context, actor run.Actor, id string) (*look, *diag.Fault) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	d, err := r.client.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return nil, r.fault(id, err)
	}
	now, ok := r.lookAt(d.GetWorkflowExecutionInfo())
	if !ok || !actor.Sees(now.Principal) {
		return nil, r.fault(id, run.ErrNoRun)
	}
	now.attempt = d.GetPendingWorkflowTask().GetAttempt()
	return now, nil
}

// lookAt reads what the service has of a run. It is false for a workflow that is not one.
func (r *Runner) lookAt(info *workflowpb.WorkflowExecutionInfo) (*look, bool) {
	now := &look{workflow: info.GetExecution().GetRunId(), length: info.GetHistoryLength()}
	if info.GetType().GetName() != wire.Workflow || !r.memo(info.GetMemo(), &now.Status) {
		return nil, false
	}
	now.open = info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	if now.open || now.Status.Status != run.Running {
		return now, true
	}
	// The memo of a workflow that has ended says how the run came out, unless the
	// workflow was ended from outside, or could not continue.
	now.Ended = info.GetCloseTime().AsTime()
	switch info.GetStatus() {
	case enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED:
	case enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED, enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED:
		now.lost, now.Status.Status = true, run.Cancelled
		now.Code, now.Message = diag.CodeCancelled, "the workflow was ended by Temporal's own command or page"
	default:
		now.lost, now.Status.Status = true, run.Failed
		now.Code, now.Message = "workflow-failed", "the workflow ended with the status "+info.GetStatus().String()
	}
	return now, true
}

func (r *Runner) memo(m *commonpb.Memo, into *wire.Status) bool {
	p, ok := m.GetFields()[wire.MemoSummary]
	return ok && r.reads.FromPayload(p, into) == nil
}

// record returns the record of a run that was looked at: the outcome of its workflow if
// that has ended, else what a worker says.
func (r *Runner) record(ctx context.Context, now *look) (*run.Record, *diag.Fault) {
	if !now.open && !now.lost {
		ctx, cancel := bounded(ctx)
		defer cancel()
		var out wire.Outcome
		if err := r.client.GetWorkflow(ctx, now.ID, "").Get(ctx, &out); err == nil {
			return &out.Record.Record, nil
		}
	}
	rec, err := r.ask(ctx, now.ID)
	switch {
	case err == nil && now.lost:
		rec.Status, rec.Ended = now.Status.Status, now.Ended
		rec.Fault = &diag.Fault{Code: now.Code, Message: now.Message, Hint: "patchbay runs resume " + now.ID + " continues after what is completed"}
	case now.lost: // a history that cannot be read again: what is known of the run is its summary
		rec = *summary(&now.Status)
		rec.Fault.Message += ", and its history cannot be read: " + err.Error()
		rec.Fault.Hint = "temporal workflow show --workflow-id " + now.ID + " shows the history"
	case err != nil:
		blocked := r.blocked(ctx, now)
		if blocked == nil {
			return nil, r.noWorker(now.ID, err)
		}
		rec = *summary(&now.Status)
		rec.Fault = blocked
	case rec.Status == run.Running && len(now.Waiting) > 0:
		rec.Fault = &diag.Fault{Code: runs.NeedsServer, Message: now.Waiting[0], Hint: "the run continues when a worker has it"}
	}
	return &rec.Record, nil
}

// queryPatience is for how long a worker is asked again. A worker that was killed is asked
// for five seconds before another one is.
const queryPatience = 12 * time.Second

// ask asks a worker for the record of a run.
func (r *Runner) ask(ctx context.Context, id string) (rec wire.Record, err error) {
	for late := time.Now().Add(queryPatience); ; {
		once, cancel := bounded(ctx)
		v, err := r.client.QueryWorkflow(once, id, "", wire.QueryRecord)
		cancel()
		if err == nil {
			err = v.Get(&rec)
			return rec, err
		}
		_, canceled := errors.AsType[*serviceerror.Canceled](err)
		_, exceeded := errors.AsType[*serviceerror.DeadlineExceeded](err)
		if !canceled && !exceeded || time.Now().After(late) {
			return rec, err
		}
	}
}

// Load implements [runs.Runner].
func (r *Runner) Load(actor run.Actor, id string) (*run.Record, *diag.Fault) {
	now, fault := r.describe(context.Background(), actor, id)
	if fault != nil {
		return nil, fault
	}
	return r.record(context.Background(), now)
}

// Look implements [runs.Runner].
func (r *Runner) Look(ctx context.Context, actor run.Actor, id string) (*run.Record, *diag.Fault) {
	rec, fault := r.Load(actor, id)
	if fault != nil || r.o.CompileAlone == nil || !local.HasLost(rec) {
		return rec, fault
	}
	if plan, fault := r.o.CompileAlone(ctx, rec.Source); fault == nil {
		local.Complete(ctx, plan, rec)
	}
	return rec, nil
}

// cancelWait is how long a cancellation waits for the run to stop.
const cancelWait = 2 * time.Second

// Cancel implements [runs.Runner].
func (r *Runner) Cancel(ctx context.Context, actor run.Actor, id string, why *diag.Fault) (run.Status, *diag.Fault) {
	now, fault := r.describe(ctx, actor, id)
	if fault != nil || !now.open {
		return statusOf(now), fault
	}
	if fault := r.cancel(ctx, id, why); fault != nil {
		return "", fault
	}
	over := time.NewTimer(cancelWait)
	defer over.Stop()
	for every := lookFirst; ; every = min(2*every, lookLast) {
		if now, fault = r.describe(ctx, actor, id); fault != nil || !now.open {
			r.changed(id)
			return statusOf(now), fault
		}
		select {
		case <-time.After(every):
		case <-over.C:
			return statusOf(now), nil
		case <-ctx.Done():
			return statusOf(now), nil
		}
	}
}

func statusOf(l *look) run.Status {
	if l == nil {
		return ""
	}
	return l.Status.Status
}

// cancel tells a run to end.
func (r *Runner) cancel(ctx context.Context, id string, why *diag.Fault) *diag.Fault {
	ctx, cancel := bounded(ctx)
	defer cancel()
	if err := r.client.SignalWorkflow(ctx, id, "", wire.SignalCancel, wire.FaultOf(why)); err != nil {
		return r.fault(id, err)
	}
	return nil
}
