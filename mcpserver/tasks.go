package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// The methods of the tasks extension.
const (
	tasksGet    = "tasks/get"
	tasksUpdate = "tasks/update"
	tasksCancel = "tasks/cancel"
)

// taskMethods answers what clients ask about runs that are tasks.
type taskMethods struct {
	pb   *app.App
	wait time.Duration // for a run that continues with an answer
}

// offer lets the server know the methods of tasks.
func (t taskMethods) offer(s *mcp.Server) {
	for _, method := range []string{tasksGet, tasksUpdate, tasksCancel} {
		err := mcp.AddReceivingCustomMethod(s, method, func(context.Context, *mcp.ServerSession, *taskParams) (*taskResult, error) {
			return nil, noMethod(method) // [taskMethods.handle] has answered
		})
		if err != nil {
			panic(err) // the SDK has a method of this name
		}
	}
	receive(s, t.handle)
}

func noMethod(method string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: method + ": this server does not offer it"}
}

// handle answers the methods of tasks, and declares them to clients of their protocol.
func (t taskMethods) handle(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	if r, ok := req.(*mcp.ServerRequest[*taskParams]); ok {
		return t.serve(ctx, method, r)
	}
	res, err := next(ctx, method, req)
	if d, ok := res.(*mcp.DiscoverResult); ok && err == nil {
		d.Capabilities.AddExtension(tasksExtension, nil)
	}
	return res, err
}

func (t taskMethods) serve(ctx context.Context, method string, req *mcp.ServerRequest[*taskParams]) (mcp.Result, error) {
	switch {
	case !isModern(req):
		return nil, noMethod(method)
	case req.Params == nil:
		return nil, noTask("")
	case !declaresTasks(req):
		return nil, &jsonrpc.Error{
			Code: mcp.CodeMissingRequiredClientCapabilities, Message: method + " needs a client that declares the extension " + tasksExtension,
			Data: json.RawMessage(`{"requiredCapabilities":{"extensions":{"` + tasksExtension + `":{}}}}`),
		}
	}
	id := req.Params.TaskID
	if who := httpd.Caller(req); who != nil && !who.Rights.May(access.Run) {
		return nil, noTask(id)
	}
	runID, _, _ := taskRun(id)
	task, fault := t.pb.Tasks.Of(ctx, runID)
	if fault != nil {
		return nil, taskError(id, fault)
	}
	switch method {
	case tasksGet:
		return t.get(ctx, id, task, req.ClientCapabilities())
	case tasksUpdate:
		return t.update(ctx, id, task, req)
	}
	if _, fault := t.pb.CancelRun(ctx, execution.CancelRunInput{RunID: runID}); fault != nil {
		return nil, taskError(id, fault)
	}
	return acknowledged(), nil
}

// get returns how a task stands, with its result or its questions. One whose questions the
// client cannot put to a person has the result that the call would have had.
func (t taskMethods) get(ctx context.Context, id string, task *execution.Task, c *mcp.ClientCapabilities) (*taskResult, error) {
	r := newTaskResult(id, task)
	r.ResultType = resultComplete
	switch task.State {
	case execution.TaskWorks, execution.TaskCancelled:
		return r, nil
	case execution.TaskAsks:
		if r.InputRequests = taskQuestions(task, c); r.InputRequests != nil {
			return r, nil
		}
		r.Status = taskCompleted
	}
	var err error
	r.Result, err = t.result(ctx, id)
	return r, err
}

// result is the reply that the call of a task would have had.
func (t taskMethods) result(ctx context.Context, id string) (*mcp.CallToolResult, error) {
	runID, tool, detail := taskRun(id)
	switch tool {
	case "run_node":
		out, fault := t.pb.Tasks.NodeRunState(ctx, runID, detail == "shape")
		if fault != nil {
			return nil, taskError(id, fault)
		}
		return newReply(ctx, out)
	case string(asGraphTool):
		r, fault := t.pb.Tasks.State(ctx, runID, "none")
		return graphReply(ctx, &conversation{RunResult: r}, fault)
	}
	out, fault := t.pb.Tasks.State(ctx, runID, detail)
	if fault != nil {
		return nil, taskError(id, fault)
	}
	return newReply(ctx, out)
}

// update takes the answers to questions of a task. What it does not ask, or asks no longer,
// is ignored.
func (t taskMethods) update(ctx context.Context, id string, task *execution.Task, req *mcp.ServerRequest[*taskParams]) (*taskResult, error) {
	if showsForms(req.ClientCapabilities()) && task.State == execution.TaskAsks {
		var answers []execution.AskAnswer
		for _, ask := range task.Asks {
			raw, ok := req.Params.InputResponses[askKey(ask)]
			if !ok {
				continue
			}
			answer := execution.AskAnswer{Step: ask.Step}
			if err := json.Unmarshal(raw, &answer); err != nil || answer.Action == "" {
				return nil, invalidParams("the response to %q is not {action, content}", askKey(ask))
			}
			answers = append(answers, answer)
		}
		if len(answers) > 0 {
			ctx := request.WithClient(context.WithoutCancel(ctx), request.Client{Wait: t.wait})
			runID, _, _ := taskRun(id)
			_, fault := t.pb.Tasks.AnswerAll(ctx, runID, answers)
			if fault != nil && fault.Code != diag.CodeRunBusy && fault.Code != run.CodeNotAsked { // somebody else was faster
				return nil, taskError(id, fault)
			}
		}
	}
	return acknowledged(), nil
}

// taskError is the error for what is wrong about a task.
func taskError(id string, fault *diag.Fault) error {
	switch {
	case isUnknown(fault), id == "":
		return noTask(id)
	case fault.Code == diag.CodeBadArgument, fault.Code == run.CodeTooLate:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fault.Message}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: cmp.Or(strings.TrimSpace(fault.Message), fault.Code)}
}

func noTask(id string) error {
	return invalidParams("unknown task %q", id)
}

// created is the reply to a call whose run goes on: a task.
func (t taskMethods) created(ctx context.Context, id string) (mcp.Result, error) {
	runID, _, _ := taskRun(id)
	task, fault := t.pb.Tasks.Of(ctx, runID)
	if fault != nil {
		return nil, errors.New(fault.Message)
	}
	r := newTaskResult(id, task)
	r.ResultType = "task"
	if task.State != execution.TaskCancelled {
		r.Status = taskWorking // whatever has happened since: tasks/get says more
	}
	return r, nil
}
