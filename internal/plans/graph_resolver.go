package plans

import (
	"context"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// GraphResolver finds the saved graphs, and the tools of the operator's documents,
// for the engine.
type GraphResolver struct {
	Plans  *Plans
	Rights *access.Rights // of who compiles; nil sees every graph
	Alone  bool           // compile them without asking any server
}

// Graph returns what the catalog knows of a graph.
func (g GraphResolver) Graph(name string) (*engine.Tool, *diag.Fault) {
	if g.Rights != nil && !g.Plans.Views.mayUseGraph(g.Rights, name) {
		return nil, unknownGraph(name)
	}
	if doc, ok := g.Plans.Document(name); ok {
		for _, t := range doc.Tools() {
			if t.Name.Text() == name {
				spec := &specs.Spec{NodeType: specs.Graph, Subtype: name, InputSchema: t.InputSchema.JSON(), OutputSchema: t.OutputSchema.JSON()}
				return &engine.Tool{Spec: spec, Input: schema.New(spec.InputSchema), Output: schema.New(spec.OutputSchema), AsksModel: g.Plans.Approvals.asksModel(name)}, nil
			}
		}
	}
	snap := g.Plans.Catalog.Snapshot()
	if spec := snap.Spec("graph:" + name); spec != nil && name != "" {
		tool := *g.Plans.Tools.Of(snap, spec) // which others have
		tool.AsksModel = g.Plans.Approvals.asksModel(name)
		return &tool, nil
	}
	f := unknownGraph(name)
	if g.Plans.GraphSpecs.Lacks(name) != nil {
		f.Message = g.Plans.GraphSpecs.CannotRun(name)
	}
	return nil, f
}

func unknownGraph(name string) *diag.Fault {
	return diag.Faultf(diag.CodeUnknownGraph, "unknown saved graph %q", name).WithHint("save_graph saves a graph under its name")
}

// Plan compiles a graph, or returns the plan that is kept of it.
func (g GraphResolver) Plan(ctx context.Context, name string) (*engine.Plan, *diag.Fault) {
	if g.Rights == nil {
		ctx = request.ForOperator(ctx)
	}
	plan, found, fault := g.Plans.SavedPlanIn(ctx, g.Alone, name)
	if fault != nil || plan != nil {
		return plan, fault
	}
	return nil, CannotRun(name, found)
}

// Names lists the graphs, sorted.
func (g GraphResolver) Names() []string {
	var names []string
	for _, spec := range g.Plans.Catalog.Snapshot().All() {
		if spec.NodeType == specs.Graph && spec.Subtype != "" {
			names = append(names, spec.Subtype)
		}
	}
	for _, doc := range g.Plans.Documents {
		for _, t := range doc.Tools() {
			names = append(names, t.Name.Text())
		}
	}
	if g.Rights != nil {
		names = slices.DeleteFunc(names, func(name string) bool { return !g.Plans.Views.mayUseGraph(g.Rights, name) })
	}
	slices.Sort(names)
	return slices.Compact(names)
}
