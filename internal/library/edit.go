package library

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/graph/edit"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/author/codein"
	"github.com/patchbay-mcp/patchbay/internal/author/drafting"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
)

// EditInput asks to change a graph by operations.
type EditInput struct {
	plans.GraphInput `arg:"[FILE]"`
	Saved            string    `json:"name,omitempty" flag:"-" jsonschema:"a saved graph instead of graph"`
	Ops              []edit.Op `json:"ops,omitempty" arg:"[OPERATIONS]" jsonschema:"operations in order: add_node {node, after?}, update_node {id, set}, remove_node {id, reconnect?}, connect {from, to, branch?, port?}, insert_between {from, to, node}, rename_node {id, new_id}, set {path, value}"`
	Revision         string    `json:"revision,omitempty" jsonschema:"only if still at this revision"`
	DryRun           bool      `json:"dry_run,omitempty" jsonschema:"check it without saving"`
	Drop             bool      `json:"drop_failing_tests,omitempty" flag:"-" jsonschema:"delete kept tests that fail, and save"`
	Scaffold         []string  `json:"scaffold,omitempty" maximum:"50" jsonschema:"instead: ids of nodes to draft" help:"instead of a file and operations: print a draft of these nodes, in order"`
	Adapt            string    `json:"adapt,omitempty" jsonschema:"instead: an idiom or graph to draft with the tools here" help:"instead of a file and operations: print a draft of this idiom or saved graph with the tools that are here"`
}

// EditResult is the verdict on the edited graph, and what changed.
type EditResult struct {
	Valid    bool                `json:"valid"`
	Runnable *bool               `json:"runnable,omitempty"` // false of a valid graph that run_graph refuses
	Why      *diag.Fault         `json:"why,omitempty"`      // it cannot run; of placeholders, the warnings say it
	Errors   diag.List           `json:"errors,omitempty"`
	Warnings diag.List           `json:"warnings,omitempty"`
	More     int                 `json:"more,omitempty"`
	Diff     string              `json:"diff,omitempty"`
	Flow     string              `json:"flow,omitempty"`
	Revision string              `json:"revision"`
	Draft    string              `json:"draft,omitempty"`
	Saved    bool                `json:"saved,omitempty"`
	Tests    *KeptTests          `json:"tests,omitempty"` // of a saved graph, if it has any
	Error    *diag.Fault         `json:"error,omitempty"` // why a valid edit of a saved graph is not saved
	Catalog  *plans.CatalogState `json:"catalog,omitempty"`

	Graph        string                 `json:"graph,omitempty"`        // that was made
	Adapted      []string               `json:"adapted,omitempty"`      // tools in place of others, by node
	Placeholders []drafting.Placeholder `json:"placeholders,omitempty"` // in it
	Hint         string                 `json:"hint,omitempty"`

	Source string `json:"-"` // the edited text
}

// Failed reports whether a valid edit of a saved graph was not saved.
func (r *EditResult) Failed() bool { return r.Error != nil }

// Edit applies operations to a graph, all or none, and checks the outcome. A
// saved graph is written back if the outcome is valid. With Scaffold or Adapt it makes a graph.
func (lib *Library) Edit(ctx context.Context, in EditInput) (*EditResult, *diag.Fault) {
	switch {
	case len(in.Scaffold) == 0 && in.Adapt == "":
	case !in.Empty() || in.Saved != "" || len(in.Ops) > 0 || len(in.Scaffold) > 0 && in.Adapt != "":
		path := "/adapt"
		if len(in.Scaffold) > 0 {
			path = "/scaffold"
		}
		return nil, diag.BadArgument(path, "make the draft first, then edit it", "scaffold and adapt make a new graph: each takes no graph, name and ops")
	case in.Adapt != "":
		return lib.adapt(ctx, in)
	default:
		return lib.scaffold(ctx, in)
	}
	s, named, fault := lib.plans.Editable(ctx, in.GraphInput, in.Saved)
	if fault != nil {
		return nil, fault
	}
	if named != nil {
		if in.Saved = s.Name; in.Tool == "" {
			in.Tool = named.Name.Text()
		}
	}
	before := s.Text
	if now := graph.Revision(before); in.Revision != "" && in.Revision != now {
		f := diag.Faultf(diag.CodeStaleRevision, "the graph is at revision %s, not %s", now, in.Revision)
		f.Path, f.Got, f.Want, f.Hint = "/revision", in.Revision, now, "get the graph again and repeat the edit on its current text"
		return nil, f
	}
	after, fault := applyOps(s, in)
	if fault != nil {
		return nil, fault
	}
	after, detached := codein.Detach(after)
	edited := *s
	edited.Text, edited.Code = after, nil
	tool := in.Tool
	if in.Saved != "" {
		tool = "" // a document is saved with all its tools
	}
	c, fault := lib.plans.Check(ctx, &edited, tool)
	if fault != nil {
		return nil, fault
	}
	if fault := lib.author.ProveFixes(ctx, c, in.Tool); fault != nil {
		return nil, fault
	}
	r := &EditResult{Flow: author.DrawnFlow(c.Plans), Revision: graph.Revision(after), Catalog: lib.plans.CatalogState(ctx), Source: after}
	if detached || s.Code != nil {
		r.Hint = "the nodes were edited, so the graph no longer has the function that it was compiled from"
	}
	r.Valid, r.Runnable, r.Why = lib.plans.Verdict(ctx, c)
	list, more := s.Shown(c.Found)
	r.Errors, r.Warnings, r.More = list.With(diag.Error), list.With(diag.Warning), more
	r.Diff = edit.DiffGraphs(s.Name, before, after, 3)
	r.Draft = lib.plans.Drafts.Put(request.ActorFrom(ctx).Principal, &edited)
	if in.Saved == "" || !r.Valid || after == before {
		return r, nil
	}
	c.Choose(in.Saved)
	if r.Error = lib.mayChangeGraphs(ctx); r.Error != nil {
		return r, nil
	}
	if r.Error = lib.unpublishableEdit(c, in.Saved, r.Draft); r.Error != nil {
		return r, nil
	}
	o := graphfiles.SaveOptions{Overwrite: true, Revision: graph.Revision(before), Agent: !request.ActorFrom(ctx).Operator}
	tests, fault := lib.checkKept(ctx, in.Saved, c, o, false, in.Drop)
	if fault != nil {
		return nil, fault
	}
	r.Tests, r.Error = tests.report, tests.refusal()
	if in.DryRun || r.Error != nil {
		return r, nil
	}
	saved, fault := lib.plans.Saved.Save(in.Saved, after, tests.options(o))
	if fault != nil {
		return nil, fault
	}
	lib.plans.GraphSpecs.File()
	lib.process.Announce()
	r.Saved, r.Revision = true, saved.Revision
	return r, nil
}

// applyOps makes one edit after another, each on the text the one before left.
func applyOps(s *plans.Source, in EditInput) (string, *diag.Fault) {
	if len(in.Ops) == 0 {
		return "", diag.BadArgument("/ops", `such as [{"op": "connect", "from": "a", "to": "b"}]`, "ops is empty")
	}
	text := s.Text
	for i, op := range in.Ops {
		for _, single := range op.Singles() {
			e, fault := edit.New(s.Name, text, in.Tool)
			if fault == nil {
				fault = e.Apply(single)
			}
			if fault == nil {
				text, fault = e.Text()
			}
			if fault != nil {
				fault.Path = edit.OpPath(i, fault.Path)
				return "", fault
			}
		}
	}
	return text, nil
}
