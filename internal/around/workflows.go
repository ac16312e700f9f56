package around

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph/edit"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

// WorkflowsInput asks for all workflows.
type WorkflowsInput struct{}

// WorkflowsResult lists the workflows by name.
type WorkflowsResult struct {
	Workflows []WorkflowInfo `json:"workflows"`
}

// WorkflowInfo is a workflow in brief.
type WorkflowInfo struct {
	Name        string        `json:"name"`
	Description string        `json:"description,omitempty"`
	On          string        `json:"on,omitempty"` // tools/call or tools/list
	Enabled     bool          `json:"enabled"`
	Match       *engine.Match `json:"match,omitempty"`
	Priority    int           `json:"priority,omitempty"`
	Path        string        `json:"path,omitempty"` // "" of one in patchbay.yaml
	// Others are the workflows that may match the same requests, in the order in which they
	// are tried; of those, only the first runs.
	Others []string    `json:"others,omitempty"`
	Error  *diag.Fault `json:"error,omitempty"` // why its text is not in effect
}

// Workflows lists the workflows.
func (ar *Around) Workflows(context.Context, WorkflowsInput) (*WorkflowsResult, *diag.Fault) {
	set := ar.workflows.Load()
	r := &WorkflowsResult{Workflows: []WorkflowInfo{}}
	for _, w := range set.all {
		info := WorkflowInfo{Name: w.name, Path: w.file, Error: w.fault()}
		if w.plan != nil {
			info.Description, info.On, info.Enabled, info.Priority = w.plan.Description, w.on.On, !w.on.Disabled, w.on.Priority
			if w.on.Match != (engine.Match{}) {
				info.Match = &w.on.Match
			}
		}
		for _, list := range [][]*workflow{set.calls, set.lists} {
			if !slices.Contains(list, w) {
				continue
			}
			for _, other := range list {
				if other != w && overlap(&w.on.Match, &other.on.Match) {
					info.Others = append(info.Others, other.name)
				}
			}
		}
		r.Workflows = append(r.Workflows, info)
	}
	return r, nil
}

// overlap reports whether a request may match both.
func overlap(a, b *engine.Match) bool {
	return meet(a.Server, b.Server) && meet(a.Tool, b.Tool) && meet(a.Client, b.Client)
}

// meet reports whether some name fits two patterns; "" fits every name.
func meet(a, b string) bool {
	switch {
	case a == "" || b == "":
		return true
	case a[0] == '*':
		return meet(a[1:], b) || b != "" && meetRest(a, b[1:])
	case b[0] == '*':
		return meet(b, a)
	}
	return (a[0] == b[0] || a[0] == '?' || b[0] == '?') && meetRest(a[1:], b[1:])
}

// meetRest is meet for the rests of patterns; "" is the end.
func meetRest(a, b string) bool {
	switch {
	case a == "" && b == "":
		return true
	case a == "":
		return onlyStars(b)
	case b == "":
		return onlyStars(a)
	}
	return meet(a, b)
}

func onlyStars(pattern string) bool {
	for _, r := range pattern {
		if r != '*' {
			return false
		}
	}
	return true
}

// WorkflowInput names a workflow.
type WorkflowInput struct {
	Name string `json:"name" arg:"NAME" jsonschema:"a workflow"`
}

// WorkflowText is a workflow as its author wrote it.
type WorkflowText struct {
	Name     string      `json:"name"`
	Path     string      `json:"path,omitempty"`
	Workflow string      `json:"workflow"` // YAML text
	Flow     string      `json:"flow,omitempty"`
	Error    *diag.Fault `json:"error,omitempty"` // why this text is not in effect
}

// WorkflowText returns a workflow.
func (ar *Around) WorkflowText(_ context.Context, in WorkflowInput) (*WorkflowText, *diag.Fault) {
	w, fault := ar.workflow(in.Name)
	if fault != nil {
		return nil, fault
	}
	r := &WorkflowText{Name: w.name, Path: w.file, Error: w.fault()}
	if w.doc != nil {
		r.Workflow = w.doc.Src
	}
	if w.plan != nil {
		r.Flow = w.plan.Flow()
	}
	return r, nil
}

var (
	codeUnknownWorkflow = diag.DefineFault("unknown-workflow", diag.RefusesRequest, "there is no workflow of this name", "`patchbay workflow list`")
	codeNotAFile        = diag.DefineFault("not-a-file", diag.RefusesRequest, "a workflow is in `patchbay.yaml`, not in a file of its own", "edit `patchbay.yaml`")
)

// workflow returns the workflow of a name.
func (ar *Around) workflow(name string) (*workflow, *diag.Fault) {
	set := ar.workflows.Load()
	if w := set.named(name); w != nil {
		return w, nil
	}
	names := lists.Each(set.all, func(w *workflow) string { return w.name })
	f := diag.Faultf(codeUnknownWorkflow, "there is no workflow %q", diag.Excerpt(name))
	f.Suggestions = diag.Closer(name, names, 3)
	switch {
	case len(f.Suggestions) > 0:
		f.Hint = fmt.Sprintf("did you mean %q?", f.Suggestions[0])
	case len(names) > 0:
		f.Hint = "the workflows are " + diag.OneOf(names, 10)
	default:
		f.Hint = "write one into the folder workflows next to patchbay.yaml"
	}
	return nil, f
}

// EnableInput names a workflow to turn on.
type EnableInput struct {
	Name string `json:"name" arg:"NAME" jsonschema:"a workflow"`
}

// DisableInput names a workflow to turn off.
type DisableInput struct {
	Name string `json:"name" arg:"NAME" jsonschema:"a workflow"`
}

// WorkflowSwitched says whether a workflow is on.
type WorkflowSwitched struct {
	Name    string `json:"name"`
	Enabled bool   `json:"enabled"`
	Path    string `json:"path"`
}

// EnableWorkflow writes into the file of a workflow that it is on.
func (ar *Around) EnableWorkflow(_ context.Context, in EnableInput) (*WorkflowSwitched, *diag.Fault) {
	return ar.switchWorkflow(in.Name, true)
}

// DisableWorkflow writes into the file of a workflow that it is off.
func (ar *Around) DisableWorkflow(_ context.Context, in DisableInput) (*WorkflowSwitched, *diag.Fault) {
	return ar.switchWorkflow(in.Name, false)
}

func (ar *Around) switchWorkflow(name string, on bool) (*WorkflowSwitched, *diag.Fault) {
	w, fault := ar.workflow(name)
	switch {
	case fault != nil:
		return nil, fault
	case w.file == "":
		return nil, diag.Faultf(codeNotAFile, "the workflow %q is in patchbay.yaml", name).WithHint(fmt.Sprintf("write enabled: %t there", on))
	case w.fault() != nil:
		return nil, w.fault()
	}
	e, fault := edit.New(w.file, w.doc.Src, "")
	if fault != nil {
		return nil, fault
	}
	value, _ := json.Marshal(on) //nolint:errchkjson // a boolean
	if fault := e.Apply(edit.Op{Op: "set", Path: "/workflow/enabled", Value: value}); fault != nil {
		return nil, fault
	}
	text, fault := e.Text()
	if fault != nil {
		return nil, fault
	}
	if _, fault := ar.saveWorkflow(name, text, true); fault != nil {
		return nil, fault
	}
	return &WorkflowSwitched{Name: name, Enabled: on, Path: w.file}, nil
}

// saveWorkflow writes the file of a workflow, and puts it into effect.
func (ar *Around) saveWorkflow(name, text string, overwrite bool) (*graphfiles.Graph, *diag.Fault) {
	if ar.workflowFiles == nil {
		return nil, ar.noWorkflowsFolder()
	}
	var saved *graphfiles.Graph
	fault := ar.beside.Change(func() (f *diag.Fault) {
		saved, f = ar.workflowFiles.Save(name, text, graphfiles.SaveOptions{Overwrite: overwrite})
		return f
	})
	if fault == nil {
		ar.loadWorkflows()
	}
	return saved, fault
}
