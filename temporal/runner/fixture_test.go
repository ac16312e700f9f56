package runner_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/runner"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// service is a Temporal service whose workflows do what a test says: act is called with
// each workflow when it starts and with each message to it.
type service struct {
	client.Client

	mu        sync.Mutex
	workflows map[string]*execution
	act       func(e *execution, message string, arg any) error
	err       error // of every request
	pollers   int
	listed    []string // queries
}

// execution is the latest workflow of a run.
type execution struct {
	record  wire.Record
	status  wire.Status // of the memo
	state   enumspb.WorkflowExecutionStatus
	options client.StartWorkflowOptions
	input   wire.Input
	starts  int
	queries error
	length  int64  // of its history
	news    int    // queries for it
	later   func() // what happens after the next query; nil is nothing
}

// park stops the run for somebody, and end ends its workflow.
func (e *execution) park(code string) {
	e.record.Status, e.status.Status, e.status.Code = run.Interrupted, run.Interrupted, code
}

func (e *execution) end(s run.Status) {
	e.record.Status, e.status.Status, e.state = s, s, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
}

// does adds a step to the run, or replaces it.
func (e *execution) does(index int, key string, at int, ended bool) {
	step := &run.StepRecord{Index: index, Key: key, Node: "node", Type: "mcp", Started: time.Unix(int64(at), 0)}
	if ended {
		step.Ended, step.Duration = index+1, time.Second
	}
	e.record.Steps = append(e.record.Steps[:index], step)
	e.length++
}

func (s *service) find(id string) (*execution, error) {
	if s.err != nil {
		return nil, s.err
	}
	if e := s.workflows[id]; e != nil {
		return e, nil
	}
	return nil, serviceerror.NewNotFound("no workflow " + id)
}

func (s *service) ExecuteWorkflow(_ context.Context, o client.StartWorkflowOptions, _ any, args ...any) (client.WorkflowRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	e := s.workflows[o.ID]
	if e != nil && (e.state == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING || o.WorkflowIDReusePolicy == enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE) {
		return nil, serviceerror.NewWorkflowExecutionAlreadyStarted("taken", "", "")
	}
	if e == nil {
		e = &execution{}
		s.workflows[o.ID] = e
	}
	e.input = args[0].(wire.Input)
	e.record, e.status, e.options, e.state = e.input.Record, o.Memo[wire.MemoSummary].(wire.Status), o, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	e.starts++
	return nil, s.act(e, "", nil)
}

func (s *service) info(e *execution) *workflowpb.WorkflowExecutionInfo {
	p, err := converter.GetDefaultDataConverter().ToPayload(e.status)
	if err != nil {
		panic(err)
	}
	return &workflowpb.WorkflowExecutionInfo{
		Type: &commonpb.WorkflowType{Name: wire.Workflow}, Status: e.state, HistoryLength: e.length, CloseTime: timestamppb.New(time.Unix(2000, 0)),
		Memo: &commonpb.Memo{Fields: map[string]*commonpb.Payload{wire.MemoSummary: p}},
	}
}

func (s *service) DescribeWorkflowExecution(_ context.Context, id, _ string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(id)
	if err != nil {
		return nil, err
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: s.info(e)}, nil
}

func (s *service) ListWorkflow(_ context.Context, r *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = append(s.listed, r.GetQuery())
	page := &workflowservice.ListWorkflowExecutionsResponse{}
	for _, e := range s.workflows {
		page.Executions = append(page.Executions, s.info(e), s.info(e)) // as of a run that was resumed
	}
	return page, s.err
}

func (s *service) GetSearchAttributes(context.Context) (*workflowservice.GetSearchAttributesResponse, error) {
	return &workflowservice.GetSearchAttributesResponse{Keys: map[string]enumspb.IndexedValueType{
		"PatchbayGraph": 2, "PatchbayProject": 2, "PatchbayPrincipal": 2, "PatchbayStatus": 2,
	}}, s.err
}

func (s *service) DescribeTaskQueue(context.Context, string, enumspb.TaskQueueType) (*workflowservice.DescribeTaskQueueResponse, error) {
	return &workflowservice.DescribeTaskQueueResponse{Pollers: make([]*taskqueuepb.PollerInfo, s.pollers)}, s.err
}

func (s *service) QueryWorkflow(_ context.Context, id, _, name string, args ...any) (converter.EncodedValue, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(id)
	if err == nil {
		err = e.queries
		if _, once := errors.AsType[*serviceerror.Canceled](err); once {
			e.queries = nil
		}
	}
	if err != nil {
		return nil, err
	}
	if name == wire.QueryNews {
		e.news++
		news := wire.NewsOf(&e.record.Record, args[0].(wire.Seen))
		news.Items = map[string]int{"each#0": 2}
		return value{news}, nil
	}
	if next := e.later; next != nil {
		defer next()
		e.later = nil
	}
	return value{e.record}, nil
}

func (s *service) SignalWorkflow(_ context.Context, id, _, name string, arg any) error {
	return s.send(id, name, arg)
}

func (s *service) UpdateWorkflow(_ context.Context, o client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	return handle{}, s.send(o.WorkflowID, o.UpdateName, o.Args[0])
}

func (s *service) send(id, name string, arg any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, err := s.find(id)
	switch {
	case err != nil:
		return err
	case e.state != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING:
		return serviceerror.NewNotFound("workflow execution already completed")
	}
	if err := s.act(e, name, arg); err != nil {
		travelled := temporal.GetDefaultFailureConverter()
		return travelled.FailureToError(travelled.ErrorToFailure(err))
	}
	return nil
}

func (s *service) GetWorkflow(_ context.Context, id, _ string) client.WorkflowRun {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ended{value: value{wire.Outcome{Record: s.workflows[id].record}}}
}

func (*service) Close() {}

type ended struct {
	client.WorkflowRun
	value
}

func (e ended) Get(_ context.Context, to any) error { return e.value.Get(to) }

type handle struct{ client.WorkflowUpdateHandle }

func (handle) Get(context.Context, any) error { return nil }

// value travels as JSON does.
type value struct{ v any }

func (value) HasValue() bool { return true }

func (v value) Get(to any) error {
	p, err := converter.GetDefaultDataConverter().ToPayload(v.v)
	if err != nil {
		return err
	}
	return converter.GetDefaultDataConverter().FromPayload(p, to)
}

// over is a runner over a service.
func over(t *testing.T, act func(e *execution, message string, arg any) error) (*runner.Runner, *service) {
	t.Helper()
	s := &service{workflows: map[string]*execution{}, act: act}
	r := runner.New(s, runner.Options{Temporal: config.Temporal{Address: "127.0.0.1:1", Namespace: "shop", TaskQueue: "queue"}}, runs.Options{Project: "shop"})
	t.Cleanup(func() { r.Close(context.Background()) })
	return r, s
}

func plan(t *testing.T) *engine.Plan {
	t.Helper()
	doc, _ := graph.Parse("g.yaml", "name: hello\nnodes:\n  - {id: entry, type: entry, next: exit}\n  - {id: exit, type: exit}\n")
	p, found := engine.Compile(doc, "", engine.Env{})
	if p == nil {
		t.Fatal(found)
	}
	return p
}
