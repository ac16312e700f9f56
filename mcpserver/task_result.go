package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution"
)

// taskParams are those of the methods of tasks.
type taskParams struct {
	mcp.ParamsBase
	TaskID         string                     `json:"taskId"`
	InputResponses map[string]json.RawMessage `json:"inputResponses,omitempty"`
}

// A taskResult is the reply to a call that has become a task, to tasks/get, or without a
// task the acknowledgement of another method.
type taskResult struct {
	mcp.ResultBase
	ResultType string `json:"resultType"`
	*taskState
}

// taskState is a task as clients see it.
type taskState struct {
	TaskID         string              `json:"taskId"`
	Status         string              `json:"status"`
	StatusMessage  string              `json:"statusMessage,omitempty"`
	CreatedAt      string              `json:"createdAt"`
	LastUpdatedAt  string              `json:"lastUpdatedAt"`
	TTLMs          *int64              `json:"ttlMs"` // null is without a bound
	PollIntervalMs int64               `json:"pollIntervalMs"`
	InputRequests  mcp.InputRequestMap `json:"inputRequests,omitempty"`
	Result         *mcp.CallToolResult `json:"result,omitempty"`
}

const (
	resultComplete = "complete"

	taskWorking   = "working"
	taskCompleted = "completed"
)

// taskStatuses are the words of the protocol. None of them is failed, which is for errors of
// the protocol: what goes wrong in a run is in the result of its call.
var taskStatuses = map[execution.TaskState]string{
	execution.TaskWorks: taskWorking, execution.TaskAsks: "input_required", execution.TaskStopped: taskCompleted, execution.TaskCancelled: "cancelled",
}

// Bounds of the interval at which a client is to ask how a task stands: a tenth of its age.
const (
	minPoll = 500 * time.Millisecond
	maxPoll = 5 * time.Second
)

func acknowledged() *taskResult { return &taskResult{ResultType: resultComplete} }

func newTaskResult(id string, t *execution.Task) *taskResult {
	s := &taskState{
		TaskID: id, Status: taskStatuses[t.State], StatusMessage: diag.Brief(t.Message), CreatedAt: timestamp(t.Created), LastUpdatedAt: timestamp(t.Updated),
		PollIntervalMs: min(max(time.Since(t.Created)/10, minPoll), maxPoll).Milliseconds(),
	}
	if t.Keep > 0 {
		ms := t.Keep.Milliseconds()
		s.TTLMs = &ms
	}
	return &taskResult{taskState: s}
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// taskQuestions are the questions of a task for a client, nil if it cannot put them to a
// person.
func taskQuestions(t *execution.Task, c *mcp.ClientCapabilities) mcp.InputRequestMap {
	if !showsForms(c) || slices.ContainsFunc(t.Asks, tooLarge) {
		return nil
	}
	requests := mcp.InputRequestMap{}
	for _, ask := range t.Asks[:min(len(t.Asks), maxQuestions)] {
		requests[askKey(ask)] = form(ask)
	}
	return requests
}

// askKey names a question for as long as its run exists: a step that asks again has
// another.
func askKey(ask execution.Ask) string { return fmt.Sprintf("%s@%d", ask.Step, ask.Asked.UnixMilli()) }

// task masks a task.
func (m masker) task(r *taskResult) {
	if r.taskState == nil {
		return
	}
	r.StatusMessage = m.text(r.StatusMessage)
	r.Result = m.called(r.Result)
	m.questions(r.InputRequests)
}
