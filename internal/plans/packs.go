package plans

import (
	"context"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
)

// packResolver shows the catalog's knowledge about nodes of other systems to the engine.
type packResolver struct {
	snap *catalog.Snapshot
	list *packList
}

// Subtypes lists the subtypes of a type that cannot run here, nil for any other.
func (p packResolver) Subtypes(nodeType string) []string {
	list := p.snap.Subtypes(nodeType, "")
	if len(list) == 0 || p.Node(nodeType, list[0]) == nil {
		return nil
	}
	return list
}

// Meant returns the type of a pack that a name in another spelling means, or "". If the
// pack is not switched on, hint says how to do it.
func (p packResolver) Meant(name string) (nodeType, hint string) {
	if nodeType = p.snap.TypeNamed(name); nodeType != "" {
		if p.Subtypes(nodeType) == nil {
			nodeType = ""
		}
		return nodeType, ""
	}
	if list := p.list.WithType(p.snap, name); len(list) > 0 {
		nodeType, _, _ = strings.Cut(list[0].Nodes[0], ":")
		return nodeType, "the knowledge pack " + list[0].Pack + " has it: " + list[0].Hint
	}
	return "", ""
}

// Node returns the knowledge about a node that cannot run here, or nil.
func (p packResolver) Node(nodeType, subtype string) *specs.Spec {
	spec := p.snap.Spec((&specs.Spec{NodeType: nodeType, Subtype: subtype}).ID())
	if spec == nil || !spec.NotRunnable {
		return nil
	}
	return spec
}

// NotRunnable returns the fault of plans with nodes of other systems, which are valid and
// cannot run, and which nodes here do what those do. It is nil if all nodes can run.
func (pl *Plans) NotRunnable(ctx context.Context, plans ...*engine.Plan) *diag.Fault {
	var ids []string
	for _, p := range plans {
		if p != nil {
			ids = append(ids, p.Foreign()...)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	snap := pl.Catalog.Snapshot()
	f := diag.Faultf(engine.CodeNotRunnable, "the graph has nodes of another system, which cannot run here: %s", diag.OneOf(ids, 6))
	f.Hint = "replace them with nodes that run here; the suggestions do something similar"
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		spec := snap.Spec(id)
		if spec == nil || len(f.Suggestions) >= 6 {
			continue
		}
		found, err := snap.Search(ctx, search.Query{Text: spec.Title + " " + spec.Description, Max: 2, RunnableOnly: true})
		if err != nil {
			continue
		}
		for _, h := range found.Hits {
			if !slices.Contains(f.Suggestions, h.Spec.ID()) {
				f.Suggestions = append(f.Suggestions, h.Spec.ID())
			}
		}
	}
	return f
}

// Verdict returns whether a graph is valid, and of a valid one that run_graph refuses
// runnable false and why; a placeholder is among the warnings already.
func (pl *Plans) Verdict(ctx context.Context, c *Checked) (valid bool, runnable *bool, why *diag.Fault) {
	if c.Found.HasErrors() {
		return false, nil, nil
	}
	why = pl.NotRunnable(ctx, c.Plans...)
	if why != nil || slices.ContainsFunc(c.Plans, func(p *engine.Plan) bool { return len(p.Unfilled()) > 0 }) {
		runnable = new(bool)
	}
	return true, runnable, why
}
