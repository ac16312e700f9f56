package runner

import (
	"context"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	commonpb "go.temporal.io/api/common/v1"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
)

// recentEvents is how many of the latest events are searched for the failure of a worker.
const recentEvents = 20

// blocked is why workers fail to continue a run, nil if the latest has not failed.
func (r *Runner) blocked(ctx context.Context, now *look) *diag.Fault {
	if !now.open || now.attempt < 2 {
		return nil
	}
	ctx, cancel := bounded(ctx)
	defer cancel()
	h, err := r.client.WorkflowService().GetWorkflowExecutionHistoryReverse(ctx, &workflowservice.GetWorkflowExecutionHistoryReverseRequest{
		Namespace: r.t.Namespace, Execution: &commonpb.WorkflowExecution{WorkflowId: now.ID}, MaximumPageSize: recentEvents,
	})
	if err != nil {
		return nil
	}
	for _, e := range h.GetHistory().GetEvents() {
		if e.GetWorkflowTaskCompletedEventAttributes() != nil || e.GetWorkflowTaskTimedOutEventAttributes() != nil {
			return nil
		}
		failed := e.GetWorkflowTaskFailedEventAttributes()
		converter.DecodeCommonFailureAttributes(r.reads, failed.GetFailure())
		if failed.GetFailure().GetMessage() == "" {
			continue
		}
		f := diag.Faultf(runs.CodeRunBlocked, "workers fail to continue the run %s, and try again: %s", now.ID, diag.Cut(failed.GetFailure().GetMessage(), maxReason))
		f.Hint = "the run continues when a worker can continue it, such as one of the version that began it; temporal workflow terminate --workflow-id " + now.ID + " ends it"
		if failed.GetCause() != enumspb.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR {
			f.Hint = "correct what the message says at the workers: the run then continues"
		}
		return f
	}
	return nil
}

// maxReason is how many bytes of a worker's failure are shown.
const maxReason = 1000
