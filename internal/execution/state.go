package execution

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// StatesInput asks what graphs have stored for later runs.
type StatesInput struct {
	Graph       string `json:"graph,omitempty" arg:"[GRAPH]" jsonschema:"only the state of this graph"`
	AllProjects bool   `json:"all_projects,omitempty" jsonschema:"state of every project, with the project of each"`
}

// StatesResult is what is stored, sorted by graph and key.
type StatesResult struct {
	State []run.StateEntry `json:"state"`
}

// States lists the state of graphs, that of the App's project unless AllProjects is set.
// What has expired is not listed.
func (st *Storage) States(_ context.Context, in StatesInput) (*StatesResult, *diag.Fault) {
	list, fault := st.execution.Runner.States(st.execution.projects(in.AllProjects), in.Graph)
	if fault != nil {
		return nil, fault
	}
	if list == nil {
		list = []run.StateEntry{}
	}
	return &StatesResult{State: list}, nil
}

// DeleteStateInput says which state to delete.
type DeleteStateInput struct {
	Graph string `json:"graph" arg:"GRAPH" jsonschema:"whose state to delete"`
	Key   string `json:"key,omitempty" arg:"[KEY]" jsonschema:"only what is under this key"`
}

// DeleteStateResult says how many keys were deleted.
type DeleteStateResult struct {
	Deleted int `json:"deleted"`
}

// DeleteState deletes what a graph of the project has stored.
func (st *Storage) DeleteState(_ context.Context, in DeleteStateInput) (*DeleteStateResult, *diag.Fault) {
	deleted, fault := st.execution.Runner.DeleteState(st.execution.process.Project, in.Graph, in.Key)
	if fault != nil {
		return nil, fault
	}
	if deleted > 0 {
		return &DeleteStateResult{Deleted: deleted}, nil
	}
	list, fault := st.execution.Runner.States(st.execution.process.Project, "")
	if fault != nil {
		return nil, fault
	}
	var there []string
	for _, e := range list {
		name := e.Graph
		if in.Key != "" {
			name += " " + e.Key
		}
		if len(there) == 0 || there[len(there)-1] != name {
			there = append(there, name)
		}
	}
	f := diag.Faultf(local.CodeNoState, "the graph %q has stored nothing", in.Graph)
	if in.Key != "" {
		f.Message = diag.Faultf("", "the graph %q has stored nothing under %q", in.Graph, in.Key).Message
	}
	f.Path = "/graph"
	f.Hint = "no graph of this project has stored anything"
	if len(there) > 0 {
		f.Hint = "there is state of " + diag.OneOf(there, 12)
	}
	return nil, f
}

// What the cases of tests may call.
const (
	callsReadOnly = "read-only"
	CallsAny      = "any"
)

type readOnlyKey struct{}

// OnlyReading returns a context whose runs call only tools that are known to be
// read-only.
func OnlyReading(ctx context.Context) context.Context {
	return context.WithValue(ctx, readOnlyKey{}, true)
}

// readOnlyCaller passes on only calls of tools known, by trusted annotations, to change
// nothing, and refuses others.
type readOnlyCaller struct {
	next  run.Caller
	tools engine.Tools
}

// CallTool implements [run.Caller].
func (o *readOnlyCaller) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	called := c.Server + "/" + c.Tool
	if c.Server == run.HTTPServer {
		called = "a request"
	} else if c.Server == run.ModelServer {
		return noModel(ctx, c)
	} else if tool, fault := o.tools.Tool(c.Server, c.Tool); fault != nil {
		return nil, &run.CallError{Outcome: run.CallNotSent, Err: fault}
	} else if tool.Spec.Annotations.IsReadOnly() {
		return o.next.CallTool(ctx, c)
	}
	f := diag.Faultf(local.CodeNeedsPin, "a test calls only tools that are known to be read-only, which %s is not", called)
	f.Hint = "give its output in pins or given; or write calls: any in the case if calling it does no harm"
	return nil, &run.CallError{Outcome: run.CallNotSent, Err: f}
}

// noModel refuses the request of a test to a model.
func noModel(_ context.Context, c run.Call) (*run.Result, error) {
	f := diag.Faultf(local.CodeNeedsPin, "a test asks no model, and the case has no reply of the model %s", c.Tool)
	f.Hint = "give the output of the node in pins or given: patchbay runs save-test ID writes a run as a case that has it, and patchbay test --live asks again what a case has"
	return nil, &run.CallError{Outcome: run.CallNotSent, Err: f}
}
