package around

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/around/flowjson"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// ImportInput is a workflow definition in JSON.
type ImportInput struct {
	plans.GraphInput `arg:"FILE"`
	As               string `json:"name,omitempty" jsonschema:"save under this name instead of the definition's own"`
	Overwrite        bool   `json:"overwrite,omitempty" jsonschema:"replace the workflow of this name"`
}

// ImportResult says where the workflow is, or what is wrong with it.
type ImportResult struct {
	Name        string    `json:"name"`
	Path        string    `json:"path,omitempty"`
	Enabled     bool      `json:"enabled"`
	Title       string    `json:"title,omitempty"`   // what the definition calls itself, if that is not its name here
	Renamed     bool      `json:"renamed,omitempty"` // because that cannot be a name, or is none
	Diagnostics diag.List `json:"diagnostics,omitempty"`

	Rendered string `json:"-"`
}

// Failed reports whether nothing was imported.
func (r *ImportResult) Failed() bool { return r.Path == "" }

// Text is the diagnostics for people, or "".
func (r *ImportResult) Text() string { return r.Rendered }

// ImportWorkflow reads a workflow definition and saves it among the workflows, if it has no
// errors.
func (ar *Around) ImportWorkflow(ctx context.Context, in ImportInput) (*ImportResult, *diag.Fault) {
	name, text, fault := flowjson.Read(in.Text, engine.NameFrom)
	if fault != nil {
		return nil, fault
	}
	if in.As != "" {
		name = in.As
	}
	doc, found := graph.Parse(name+".yaml", text)
	if doc == nil {
		return nil, diag.Faultf(flowjson.CodeBadDefinition, "the workflow definition cannot be read: %s", found[0].Message)
	}
	plan, more := engine.Compile(doc, "", ar.plans.Env(ctx, false))
	if found = append(found, more...).With(diag.Error); plan == nil || len(found) > 0 {
		return &ImportResult{Name: name, Diagnostics: found, Rendered: diag.Format(doc.Name, doc.Src, found)}, nil
	}
	saved, fault := ar.saveWorkflow(name, string(text), in.Overwrite)
	if fault != nil {
		return nil, fault
	}
	title := plan.Tool().Title
	return &ImportResult{Name: name, Path: saved.Path, Enabled: !plan.Workflow().Disabled, Renamed: in.As == "" && title.Exists(), Title: title.Text()}, nil
}

// ExportedWorkflow is a workflow as a definition in JSON.
type ExportedWorkflow struct {
	Name       string          `json:"name"`
	Definition json.RawMessage `json:"definition"`
}

// ExportWorkflow writes a workflow as the definition of a visual editor.
func (ar *Around) ExportWorkflow(_ context.Context, in WorkflowInput) (*ExportedWorkflow, *diag.Fault) {
	w, fault := ar.workflow(in.Name)
	if fault != nil {
		return nil, fault
	}
	if w.plan == nil {
		return nil, w.fault()
	}
	var modified int64
	if info, err := os.Stat(filepath.Clean(w.file)); w.file != "" && err == nil {
		modified = info.ModTime().UnixMilli()
	}
	b, fault := flowjson.Write(w.plan.Tool(), w.name, modified)
	if fault != nil {
		return nil, fault
	}
	return &ExportedWorkflow{Name: w.name, Definition: b}, nil
}
