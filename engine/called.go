package engine

import (
	"context"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A CalledGraph is a graph that a node of a plan runs.
type CalledGraph struct {
	Name string // as the node names it
	Own  bool   // a tool of the same document, not a saved graph
	Tool *Tool  // as the checker saw it; nil where it is not known
	Plan *Plan
}

// CalledGraphs returns the graphs that the nodes of the plan run, in the order of the
// document. The fault is that of the first that cannot be run.
func (p *Plan) CalledGraphs(ctx context.Context) (list []CalledGraph, fault *diag.Fault) {
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.graph == nil {
			continue
		}
		called, fault := n.graph(ctx)
		if fault != nil {
			return nil, fault
		}
		list = append(list, CalledGraph{Name: n.callee.tool, Own: called.doc == p.doc, Tool: n.tool, Plan: called})
	}
	return list, nil
}

// ChangesNothing reports whether all that the plan calls is known to be read-only, by hints
// that are trusted.
func (p *Plan) ChangesNothing() bool { return p.annotations().IsReadOnly() }

// ToolsWithin returns the tools of [Plan.Tools], and those of all graphs that the plan runs,
// each once. The fault is that of the first graph that cannot be run.
func (p *Plan) ToolsWithin(ctx context.Context) ([]*specs.Spec, *diag.Fault) {
	var tools []*specs.Spec
	plans, seen := []*Plan{p}, map[run.Source]bool{p.Source(): true}
	for len(plans) > 0 {
		next := plans[0]
		plans = plans[1:]
		for _, t := range next.Tools() {
			if !slices.Contains(tools, t) {
				tools = append(tools, t)
			}
		}
		called, fault := next.CalledGraphs(ctx)
		if fault != nil {
			return nil, fault
		}
		for _, c := range called {
			if !seen[c.Plan.Source()] {
				seen[c.Plan.Source()] = true
				plans = append(plans, c.Plan)
			}
		}
	}
	return tools, nil
}
