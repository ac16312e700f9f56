package app

import (
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// unpublishable refuses to save a graph that would be a tool of this server and that
// clients or model APIs would refuse, some of them with all other tools. Nil is no
// objection.
func (pb *App) unpublishable(s *source, c *checked, in SaveInput) *SaveResult {
	var found diag.List
	for _, plan := range c.plans {
		found = append(found, plan.Unpublishable()...)
	}
	if len(found) == 0 || !pb.wouldPublish(c, in) {
		return nil
	}
	r := &SaveResult{Status: statusRejected, Error: &diag.Fault{
		Code:    "unpublishable-tool",
		Message: fmt.Sprintf("clients or model APIs refuse the tool: %s", found[0].Message),
		Hint:    `validate_graph {"apply_fixes": true} corrects it; expose: false saves it without publishing it`,
	}}
	if more := len(found) - 1; more > 0 {
		r.Error.Message += fmt.Sprintf(", and %d more", more)
	}
	r.Diagnostics, _ = s.shown(found)
	if !s.object {
		r.Rendered = diag.Format(s.name, s.text, r.Diagnostics)
	}
	return r
}

// wouldPublish reports whether the graph would be a tool of this server: unless the
// call, the document or the graph that it replaces says otherwise.
func (pb *App) wouldPublish(c *checked, in SaveInput) bool {
	if in.Expose != nil {
		return *in.Expose
	}
	if v := c.doc.Tree().Expose; v.Is(graph.Bool) {
		return v.Bool()
	}
	name := in.As
	if name == "" {
		name = c.plan.Name
	}
	if old, fault := pb.graphs.Get(name); fault == nil && old.Expose != nil {
		return *old.Expose
	}
	return true
}
