package app

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/author/drafting"
	"github.com/patchbay-mcp/patchbay/specs"
)

// maxScaffold is how many nodes one scaffold may have.
const maxScaffold = 50

// scaffold makes a draft of nodes in their order, and checks it.
func (a *App) scaffold(ctx context.Context, in EditInput) (*EditResult, *diag.Fault) {
	if len(in.Scaffold) > maxScaffold {
		return nil, diag.BadArgument("/scaffold", "", "scaffold has %d nodes, expected at most %d", len(in.Scaffold), maxScaffold)
	}
	var steps []drafting.Step
	for i, id := range in.Scaffold {
		step, fault := a.scaffoldStep(ctx, id, fmt.Sprintf("/scaffold/%d", i))
		if fault != nil {
			return nil, fault
		}
		if step != nil {
			steps = append(steps, *step)
		}
	}
	body, open := drafting.Scaffold(steps)
	return a.newDraft(ctx, string(graph.Encode(body)), open)
}

// newDraft checks a new graph and keeps it as a draft.
func (a *App) newDraft(ctx context.Context, text string, open []drafting.Placeholder) (*EditResult, *diag.Fault) {
	s := &source{name: "draft", text: text}
	c, fault := a.check(ctx, s, "")
	if fault != nil {
		return nil, fault
	}
	r := &EditResult{Flow: drawnFlow(c.plans), Revision: graph.Revision(s.text), Catalog: a.catalogState(ctx), Source: s.text, Graph: s.text, Placeholders: open}
	r.Valid, r.Runnable, r.Why = a.verdict(ctx, c)
	var rest diag.List
	for _, d := range c.found {
		if d.Code != "placeholder" { // in Placeholders
			rest = append(rest, d)
		}
	}
	list, more := s.shown(rest)
	r.Errors, r.Warnings, r.More = list.With(diag.Error), list.With(diag.Warning), more
	r.Draft = a.authoring.drafts.put(actor(ctx).Principal, s)
	if len(open) > 0 && r.Valid {
		r.Hint = fmt.Sprintf(`give each placeholder a value: edit_graph {"graph": %q, "ops": [{"op": "update_node", "id": %q, "set": {%q: "VALUE"}}]}; it runs when none is left`, r.Draft, open[0].Node, "args."+open[0].Argument)
	}
	return r, nil
}

// scaffoldStep is the step of a node of the catalog; nil for entry and exit, which every
// scaffold has.
func (a *App) scaffoldStep(ctx context.Context, id, path string) (*drafting.Step, *diag.Fault) {
	spec, fault := a.exact(ctx, NodeRef{ID: id}, path)
	if fault != nil {
		return nil, fault
	}
	switch {
	case spec.Starts || spec.Ends:
		return nil, nil
	case spec.NodeType == specs.MCP && spec.Subtype != "":
		tool, fault := (&toolResolver{app: a, ctx: ctx}).Tool(spec.Server(), spec.Tool())
		if fault != nil {
			return nil, fault
		}
		return &drafting.Step{Callee: draftCallee(spec.Server(), spec.Tool(), tool)}, nil
	case spec.NodeType == specs.Graph && spec.Subtype != "":
		tool, fault := (graphResolver{app: a, rights: rightsFrom(ctx)}).Graph(spec.Subtype)
		if fault != nil {
			return nil, fault
		}
		return &drafting.Step{Callee: draftCallee("", spec.Subtype, tool)}, nil
	}
	skeleton := skeletonOf(spec)
	if skeleton == nil {
		return nil, diag.BadArgument(path, "get_node_details describes it", "%q is not a node of graphs", spec.ID())
	}
	return &drafting.Step{Skeleton: skeleton}, nil
}

// skeletonOf is the node to copy of a spec, or nil.
func skeletonOf(spec *specs.Spec) (skeleton graph.Members) {
	doc, _ := graph.Parse("skeleton", spec.Whole().Skeleton)
	if doc == nil || !doc.Root.Is(graph.Object) {
		return nil
	}
	for key, v := range doc.Root.Members() {
		pair := graph.Pair{Key: key, Value: json.RawMessage(v.JSON())}
		if v.Is(graph.String) {
			pair.Value = v.Text()
		}
		skeleton = append(skeleton, pair)
	}
	return skeleton
}
