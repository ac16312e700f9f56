package engine

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
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
