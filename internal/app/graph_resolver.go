package app

import (
	"context"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// graphResolver finds the saved graphs, and the tools of the operator's documents,
// for the engine.
type graphResolver struct {
	app    *App
	rights *access.Rights // of who compiles; nil sees every graph
	alone  bool           // compile them without asking any server
}

// Graph returns what the catalog knows of a graph.
func (g graphResolver) Graph(name string) (*engine.Tool, *diag.Fault) {
	if g.rights != nil && !g.app.mayUseGraph(g.rights, name) {
		return nil, unknownGraph(name)
	}
	if doc, ok := g.app.document(name); ok {
		for _, t := range doc.Tools() {
			if t.Name.Text() == name {
				spec := &specs.Spec{NodeType: specs.Graph, Subtype: name, InputSchema: t.InputSchema.JSON(), OutputSchema: t.OutputSchema.JSON()}
				return &engine.Tool{Spec: spec, Input: schema.New(spec.InputSchema), Output: schema.New(spec.OutputSchema)}, nil
			}
		}
	}
	snap := g.app.discovery.catalog.Snapshot()
	if spec := snap.Spec("graph:" + name); spec != nil && name != "" {
		return g.app.tool(snap, spec), nil
	}
	f := unknownGraph(name)
	if g.app.elsewhere(name) != nil {
		f.Message = g.app.cannotRunHere(name)
	}
	return nil, f
}

func unknownGraph(name string) *diag.Fault {
	return diag.Faultf(diag.CodeUnknownGraph, "unknown saved graph %q", name).WithHint("save_graph saves a graph under its name")
}

// Plan compiles a graph, or returns the plan that is kept of it.
func (g graphResolver) Plan(ctx context.Context, name string) (*engine.Plan, *diag.Fault) {
	if g.rights == nil {
		ctx = forOperator(ctx)
	}
	plan, found, fault := g.app.savedPlanIn(ctx, g.alone, name)
	if fault != nil || plan != nil {
		return plan, fault
	}
	return nil, cannotRun(name, found)
}

// Names lists the graphs, sorted.
func (g graphResolver) Names() []string {
	var names []string
	for _, spec := range g.app.discovery.catalog.Snapshot().All() {
		if spec.NodeType == specs.Graph && spec.Subtype != "" {
			names = append(names, spec.Subtype)
		}
	}
	for _, doc := range g.app.library.documents {
		for _, t := range doc.Tools() {
			names = append(names, t.Name.Text())
		}
	}
	if g.rights != nil {
		names = slices.DeleteFunc(names, func(name string) bool { return !g.app.mayUseGraph(g.rights, name) })
	}
	slices.Sort(names)
	return slices.Compact(names)
}
