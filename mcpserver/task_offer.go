package mcpserver

import (
	"context"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// tasksExtension is the extension of MCP by which the reply to a call can be a task: a
// handle of work in progress, which the client polls.
const tasksExtension = "io.modelcontextprotocol/tasks"

// defaultTaskAfter is how long the call of a client that has tasks waits for its run.
const defaultTaskAfter = 500 * time.Millisecond

// A taskOffer is the call of a client that has tasks: if its run takes longer than a moment,
// the reply is a task.
type taskOffer struct {
	client request.Client // who waits for the run
	task   string         // the id of the task that the reply is, "" if it is not one
}

type offerKey struct{}

// declaresTasks reports whether the client of a request has said, with the request, that it
// has tasks. Earlier protocols have no such extension.
func declaresTasks(req mcp.Request) bool {
	p := req.GetParams()
	if p == nil || !isModern(req) {
		return false
	}
	capabilities, _ := p.GetMeta()[mcp.MetaKeyClientCapabilities].(map[string]any)
	extensions, _ := capabilities["extensions"].(map[string]any)
	_, declared := extensions[tasksExtension]
	return declared
}

// withTasks lets the calls of clients that have tasks be answered by a task.
func withTasks(ctx context.Context, req mcp.Request, c request.Client, after time.Duration) (context.Context, *taskOffer) {
	if !declaresTasks(req) {
		return ctx, nil
	}
	c.Turn, c.Wait = c.Wait, min(c.Wait, after)
	offer := &taskOffer{client: c}
	return context.WithValue(ctx, offerKey{}, offer), offer
}

// offered returns the offer of a call, nil if its client has no tasks, and a context in which
// the call waits for its run no longer than for a task.
func offered(ctx context.Context) (context.Context, *taskOffer) {
	offer, ok := ctx.Value(offerKey{}).(*taskOffer)
	if !ok {
		return ctx, nil
	}
	return request.WithClient(ctx, offer.client), offer
}

// take makes the reply a task, if the call of a tool of Patchbay has left a run in progress
// and did not ask for that.
func (o *taskOffer) take(in, out any) {
	if o == nil {
		return
	}
	switch r := out.(type) {
	case *conversation:
		form := taskForm("run_graph")
		if in, ok := in.(*execution.RunInput); ok {
			if in.Background || in.WaitMs > 0 {
				return
			}
			form = form.of(in.Trace)
		}
		if r.required == nil {
			o.continues(r.RunResult, form)
		}
	case *execution.RunNodeResult:
		form := taskForm("run_node")
		if in, ok := in.(*execution.RunNodeInput); ok && in.ShapeOnly {
			form = form.of("shape")
		}
		if r.Status == string(run.Running) {
			o.task = form.task(r.RunID)
		}
	}
}

// continues makes the reply a task if a run is in progress.
func (o *taskOffer) continues(r *execution.RunResult, form taskForm) {
	if o != nil && r != nil && r.RunID != "" && r.Status == string(run.Running) {
		o.task = form.task(r.RunID)
	}
}

// A taskForm says which call made a task, as far as its reply depends on it: the tool and
// what the call asked for. A task is a run and this form: nothing else is stored of it.
type taskForm string

// asGraphTool is the form of the tool that a saved graph is.
const asGraphTool taskForm = "tool"

// formSep is between a run and a form, and between the parts of a form.
const formSep = ":"

func (f taskForm) of(detail string) taskForm {
	if detail == "" {
		return f
	}
	return f + formSep + taskForm(detail)
}

// task is the id of the task.
func (f taskForm) task(runID string) string { return runID + formSep + string(f) }

// taskRun returns the run of a task, the tool of its form, and the detail.
func taskRun(task string) (runID, tool, detail string) {
	runID, form, _ := strings.Cut(task, formSep)
	tool, detail, _ = strings.Cut(form, formSep)
	return runID, tool, detail
}
