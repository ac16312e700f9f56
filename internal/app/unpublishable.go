package app

import (
	"context"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// unpublishable refuses to save a graph that would be a tool of this server and that
// clients or model APIs would refuse, some of them with all other tools. Nil is no
// objection.
func (a *App) unpublishable(s *source, c *checked, in SaveInput) *SaveResult {
	name := in.As
	if name == "" {
		name = c.plan.Name
	}
	found := c.unpublishable()
	if len(found) == 0 || !a.wouldPublish(c, in.Expose, name) {
		return nil
	}
	r := &SaveResult{Status: statusRejected, Error: refusedBy(found)}
	r.Error.Hint = `validate_graph {"apply_fixes": true} corrects it; expose: false saves it without publishing it`
	r.Diagnostics, _ = s.shown(found)
	if !s.object {
		r.Rendered = diag.Format(s.name, s.text, r.Diagnostics)
	}
	return r
}

// unpublishableEdit is [App.unpublishable] for an edit of a saved graph, whose text is
// then a draft.
func (a *App) unpublishableEdit(c *checked, name, draft string) *diag.Fault {
	found := c.unpublishable()
	if len(found) == 0 || !a.wouldPublish(c, nil, name) {
		return nil
	}
	f := refusedBy(found)
	f.Hint = fmt.Sprintf(`validate_graph {"graph": %q, "apply_fixes": true} corrects it in a draft to save; save_graph {"graph": %q, "name": %q, "overwrite": true, "expose": false} saves it without publishing it`, draft, draft, name)
	return f
}

// unpublishable is what clients and model APIs refuse in the tools of the graph.
func (c *checked) unpublishable() diag.List {
	var found diag.List
	for _, plan := range c.plans {
		found = append(found, plan.Unpublishable()...)
	}
	return found
}

var codeUnpublishableTool = diag.DefineFault("unpublishable-tool", diag.RefusesRequest, "clients or model APIs would refuse the published tool", "apply the fixes of the diagnostics (`validate --fix`), or save it with `expose: false`")

// refusedBy is the fault of a tool that clients would refuse.
func refusedBy(found diag.List) *diag.Fault {
	f := &diag.Fault{Code: codeUnpublishableTool, Message: "clients or model APIs refuse the tool: " + found[0].Message}
	if more := len(found) - 1; more > 0 {
		f.Message += fmt.Sprintf(", and %d more", more)
	}
	return f
}

// Refused returns what clients and model APIs refuse in the tools of a saved graph that
// are published, none if it is not published.
func (a *App) Refused(ctx context.Context, name string) diag.List {
	names := []string{name}
	if g, _, fault := a.library.graphs.Find(name); fault == nil {
		names = g.ToolNames()
	}
	var found diag.List
	for _, name := range names {
		if !a.isPublished(name) {
			continue
		}
		if err := alone(func() {
			if plan, _, _ := a.savedPlan(ctx, name); plan != nil {
				found = append(found, plan.Unpublishable()...)
			}
		}); err != nil {
			continue // SavedFaults says it
		}
	}
	return found
}

// wouldPublish reports whether the graph would be a tool of this server: unless the
// call, the document or the saved graph of the name says otherwise.
func (a *App) wouldPublish(c *checked, expose *bool, name string) bool {
	if expose != nil {
		return *expose
	}
	if v := c.doc.Tree().Expose; v.Is(graph.Boolean) {
		return v.Bool()
	}
	if old, fault := a.library.graphs.Get(name); fault == nil && old.Expose != nil {
		return *old.Expose
	}
	return true
}
