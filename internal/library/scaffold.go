package library

import (
	"context"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/author/drafting"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/specs"
)

// maxScaffold is how many nodes one scaffold may have.
const maxScaffold = 50

// scaffold makes a draft of nodes in their order, and checks it.
func (lib *Library) scaffold(ctx context.Context, in EditInput) (*EditResult, *diag.Fault) {
	if len(in.Scaffold) > maxScaffold {
		return nil, diag.BadArgument("/scaffold", "", "scaffold has %d nodes, expected at most %d", len(in.Scaffold), maxScaffold)
	}
	var steps []drafting.Step
	for i, id := range in.Scaffold {
		step, fault := lib.scaffoldStep(ctx, id, fmt.Sprintf("/scaffold/%d", i))
		if fault != nil {
			return nil, fault
		}
		if step != nil {
			steps = append(steps, *step)
		}
	}
	body, open := drafting.Scaffold(steps)
	return lib.newDraft(ctx, string(graph.Encode(body)), open)
}

// newDraft checks a new graph and keeps it as a draft.
func (lib *Library) newDraft(ctx context.Context, text string, open []drafting.Placeholder) (*EditResult, *diag.Fault) {
	s := &plans.Source{Name: "draft", Text: text}
	c, fault := lib.plans.Check(ctx, s, "")
	if fault != nil {
		return nil, fault
	}
	r := &EditResult{Flow: author.DrawnFlow(c.Plans), Revision: graph.Revision(s.Text), Catalog: lib.plans.CatalogState(ctx), Source: s.Text, Graph: s.Text, Placeholders: open}
	r.Valid, r.Runnable, r.Why = lib.plans.Verdict(ctx, c)
	var rest diag.List
	for _, d := range c.Found {
		if d.Code != "placeholder" { // in Placeholders
			rest = append(rest, d)
		}
	}
	list, more := s.Shown(rest)
	r.Errors, r.Warnings, r.More = list.With(diag.Error), list.With(diag.Warning), more
	r.Draft = lib.plans.Drafts.Put(request.ActorFrom(ctx).Principal, s)
	if len(open) > 0 && r.Valid {
		r.Hint = fmt.Sprintf(`give each placeholder a value: edit_graph {"graph": %q, "ops": [{"op": "update_node", "id": %q, "set": {%q: "VALUE"}}]}; it runs when none is left`, r.Draft, open[0].Node, "args."+open[0].Argument)
	}
	return r, nil
}

// scaffoldStep is the step of a node of the catalog; nil for entry and exit, which every
// scaffold has.
func (lib *Library) scaffoldStep(ctx context.Context, id, path string) (*drafting.Step, *diag.Fault) {
	spec, fault := lib.discover.Exact(ctx, plans.NodeRef{ID: id}, path)
	if fault != nil {
		return nil, fault
	}
	switch {
	case spec.Starts || spec.Ends:
		return nil, nil
	case spec.NodeType == specs.MCP && spec.Subtype != "":
		tool, fault := (&plans.ToolResolver{Plans: lib.plans, Ctx: ctx}).Tool(spec.Server(), spec.Tool())
		if fault != nil {
			return nil, fault
		}
		return &drafting.Step{Callee: reply.DraftCallee(spec.Server(), spec.Tool(), tool)}, nil
	case spec.NodeType == specs.Graph && spec.Subtype != "":
		tool, fault := (plans.GraphResolver{Plans: lib.plans, Rights: request.RightsFrom(ctx)}).Graph(spec.Subtype)
		if fault != nil {
			return nil, fault
		}
		return &drafting.Step{Callee: reply.DraftCallee("", spec.Subtype, tool)}, nil
	}
	skeleton := plans.SkeletonOf(spec)
	if skeleton == nil {
		return nil, diag.BadArgument(path, "get_node_details describes it", "%q is not a node of graphs", spec.ID())
	}
	return &drafting.Step{Skeleton: skeleton}, nil
}
