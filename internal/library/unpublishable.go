package library

import (
	"context"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
)

// unpublishable refuses to save a graph that would be a tool of this server and that
// clients or model APIs would refuse, some of them with all other tools. Nil is no
// objection.
func (lib *Library) unpublishable(s *plans.Source, c *plans.Checked, in SaveInput) *SaveResult {
	name := in.As
	if name == "" {
		name = c.Plan.Name
	}
	found := c.Unpublishable()
	if len(found) == 0 || !lib.wouldPublish(c, in.Expose, name) {
		return nil
	}
	r := &SaveResult{Status: reply.StatusRejected, Error: refusedBy(found)}
	r.Error.Hint = `validate_graph {"apply_fixes": true} corrects it; expose: false saves it without publishing it`
	r.Diagnostics, _ = s.Shown(found)
	if !s.Object {
		r.Rendered = diag.Format(s.Name, s.Written(), r.Diagnostics)
	}
	return r
}

// unpublishableEdit is [Library.unpublishable] for an edit of a saved graph, whose text is
// then a draft.
func (lib *Library) unpublishableEdit(c *plans.Checked, name, draft string) *diag.Fault {
	found := c.Unpublishable()
	if len(found) == 0 || !lib.wouldPublish(c, nil, name) {
		return nil
	}
	f := refusedBy(found)
	f.Hint = fmt.Sprintf(`validate_graph {"graph": %q, "apply_fixes": true} corrects it in a draft to save; save_graph {"graph": %q, "name": %q, "overwrite": true, "expose": false} saves it without publishing it`, draft, draft, name)
	return f
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
func (lib *Library) Refused(ctx context.Context, name string) diag.List {
	names := []string{name}
	if g, _, fault := lib.plans.Saved.Find(name); fault == nil {
		names = g.ToolNames()
	}
	var found diag.List
	for _, name := range names {
		if !lib.plans.GraphTools.Has(name) {
			continue
		}
		if err := plans.Alone(func() {
			if plan, _, _ := lib.plans.SavedPlan(ctx, name); plan != nil {
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
func (lib *Library) wouldPublish(c *plans.Checked, expose *bool, name string) bool {
	if expose != nil {
		return *expose
	}
	if v := c.Doc.Tree().Expose; v.Is(graph.Boolean) {
		return v.Bool()
	}
	if old, fault := lib.plans.Saved.Get(name); fault == nil && old.Expose != nil {
		return *old.Expose
	}
	return true
}
