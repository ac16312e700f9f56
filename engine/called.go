package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
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

type savedGraphsKey struct{}

// WithSavedGraphs returns a context for one execution of a run: each saved graph stays as it
// is first found in it.
func WithSavedGraphs(ctx context.Context) context.Context {
	return context.WithValue(ctx, savedGraphsKey{}, &sync.Map{})
}

// savedPlan returns a saved graph as the execution of the context has it.
func savedPlan(ctx context.Context, graphs Graphs, name string) (*Plan, *diag.Fault) {
	found, executes := ctx.Value(savedGraphsKey{}).(*sync.Map)
	if !executes {
		return graphs.Plan(ctx, name)
	}
	if plan, there := found.Load(name); there {
		return plan.(*Plan), nil
	}
	plan, fault := graphs.Plan(ctx, name)
	if fault != nil {
		return nil, fault
	}
	first, _ := found.LoadOrStore(name, plan)
	return first.(*Plan), nil
}

// SavedRevisions returns the revisions of the saved graphs that the plan may call, directly
// or through others, by name: "" where one cannot be run now. It is nil if there are none.
func (p *Plan) SavedRevisions(ctx context.Context) (revisions map[string]string) {
	plans := []*Plan{p}
	for i := 0; i < len(plans); i++ {
		for j := range plans[i].nodes {
			n := &plans[i].nodes[j]
			if n.graph == nil {
				continue
			}
			called, fault := n.graph(ctx)
			if fault == nil && !slices.ContainsFunc(plans, func(p *Plan) bool { return p.Source() == called.Source() }) {
				plans = append(plans, called)
			}
			if fault == nil && called.doc == plans[i].doc {
				continue
			}
			if revisions == nil {
				revisions = map[string]string{}
			}
			if fault == nil {
				revisions[n.callee.tool] = graph.Revision(called.doc.Src)
			} else {
				revisions[n.callee.tool] += "" // unless it was found before
			}
		}
	}
	return revisions
}
