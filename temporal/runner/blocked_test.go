package runner_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/runner"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// failing is a service whose workers fail to continue its runs.
type failing struct {
	*service

	events []*historypb.HistoryEvent // the latest first
}

func (f failing) WorkflowService() workflowservice.WorkflowServiceClient {
	return histories{events: f.events}
}

type histories struct {
	workflowservice.WorkflowServiceClient

	events []*historypb.HistoryEvent
}

func (f failing) DescribeWorkflowExecution(ctx context.Context, id, execution string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	d, err := f.service.DescribeWorkflowExecution(ctx, id, execution)
	if err == nil {
		d.PendingWorkflowTask = &workflowpb.PendingWorkflowTaskInfo{Attempt: 3}
	}
	return d, err
}

func (h histories) GetWorkflowExecutionHistoryReverse(context.Context, *workflowservice.GetWorkflowExecutionHistoryReverseRequest, ...grpc.CallOption) (*workflowservice.GetWorkflowExecutionHistoryReverseResponse, error) {
	return &workflowservice.GetWorkflowExecutionHistoryReverseResponse{History: &historypb.History{Events: h.events}}, nil
}

// coded writes as clients and workers do where no secret is in a value.
var coded = wire.Named(bytes.Clone, bytes.Clone)

// taskFailed is the failure of a task as workers write it: the message is in a payload.
func taskFailed(cause enumspb.WorkflowTaskFailedCause, message string) *historypb.HistoryEvent {
	failure := wire.Failures(coded).ErrorToFailure(errors.New(message))
	return &historypb.HistoryEvent{Attributes: &historypb.HistoryEvent_WorkflowTaskFailedEventAttributes{
		WorkflowTaskFailedEventAttributes: &historypb.WorkflowTaskFailedEventAttributes{Cause: cause, Failure: failure},
	}}
}

// A run that workers fail to continue is running, and says why they fail.
func TestBlocked(t *testing.T) {
	scheduled := &historypb.HistoryEvent{Attributes: &historypb.HistoryEvent_WorkflowTaskScheduledEventAttributes{}}
	for _, test := range []struct {
		name   string
		events []*historypb.HistoryEvent
		code   string
		says   string
		hint   string
	}{
		{"another walker", []*historypb.HistoryEvent{scheduled, taskFailed(enumspb.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR, "[TMPRL1100] it differs")}, "run-blocked", "[TMPRL1100] it differs", "one of the version that began it"},
		{"a blob that is missing", []*historypb.HistoryEvent{taskFailed(enumspb.WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE, "the blob is not there")}, "run-blocked", "the blob is not there", "correct what the message says"},
		{"a worker that was killed", []*historypb.HistoryEvent{
			{Attributes: &historypb.HistoryEvent_WorkflowTaskTimedOutEventAttributes{WorkflowTaskTimedOutEventAttributes: &historypb.WorkflowTaskTimedOutEventAttributes{}}},
			taskFailed(enumspb.WORKFLOW_TASK_FAILED_CAUSE_UNSPECIFIED, "an earlier failure"),
		}, "no-worker", "no worker", "patchbay-temporal worker"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &service{workflows: map[string]*execution{}, act: executes}
			r := runner.New(failing{service: s, events: test.events}, runner.Options{Temporal: config.Temporal{Namespace: "shop"}, Converter: coded}, runs.Options{})
			rec, fault := r.Start(t.Context(), plan(t), nil, runs.StartOptions{Client: runs.Client{Background: true}})
			if fault != nil {
				t.Fatal(fault)
			}
			s.workflows[rec.ID].queries = errors.New("no answer")
			rec, fault = r.Load(operator, rec.ID)
			if fault == nil {
				fault = rec.Fault
				if rec.Status != run.Running || rec.Graph != "hello" {
					t.Errorf("%+v", rec)
				}
			}
			if fault == nil || fault.Code != test.code || !strings.Contains(fault.Message, test.says) || !strings.Contains(fault.Hint, test.hint) {
				t.Errorf("%+v", fault)
			}
		})
	}
}
