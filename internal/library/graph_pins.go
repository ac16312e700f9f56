package library

import (
	"context"
	"maps"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// ApproveGraphInput says which saved graphs a person approves.
type ApproveGraphInput struct {
	Names []string `json:"names,omitempty" jsonschema:"saved graphs" arg:"[NAME…]"`
	All   bool     `json:"all,omitempty" jsonschema:"all saved graphs that nobody has approved"`
}

// ApproveGraphResult says what of each graph was approved.
type ApproveGraphResult struct {
	Graphs []ApprovedGraph `json:"graphs"`
}

// An ApprovedGraph is a saved graph that was approved, and what it does.
type ApprovedGraph struct {
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	Tools       []string    `json:"tools"` // that it calls, server/tool
	Graphs      []string    `json:"graphs,omitempty"`
	Requests    []string    `json:"requests,omitempty"`
	Kinds       []string    `json:"kinds"` // types of its nodes
	Nodes       int         `json:"nodes"`
	Approved    []string    `json:"approved"` // tools whose changes were accepted, as server/tool
	Reviewed    bool        `json:"reviewed"` // nobody had approved it
	Error       *diag.Fault `json:"error,omitempty"`
}

// Failed reports whether one of the graphs was not approved.
func (r *ApproveGraphResult) Failed() bool {
	return slices.ContainsFunc(r.Graphs, func(g ApprovedGraph) bool { return g.Error != nil })
}

// ApproveGraph accepts saved graphs that an agent has saved, or that came with their folder,
// and the tools that graphs use, as they are now.
func (lib *Library) ApproveGraph(ctx context.Context, in ApproveGraphInput) (*ApproveGraphResult, *diag.Fault) {
	if lib.plans.Saved == nil {
		return nil, plans.NoGraphs()
	}
	if len(in.Names) == 0 && !in.All {
		return nil, diag.BadArgument("/names", "name the graphs, or approve all; patchbay graphs list shows them", "the call names no graph")
	}
	var list []*graphfiles.Graph
	for _, name := range in.Names {
		g, _, fault := lib.plans.Saved.Find(name)
		if fault != nil {
			return nil, fault
		}
		list = append(list, g)
	}
	if in.All {
		all, _ := lib.plans.Saved.List()
		list = append(list, slices.DeleteFunc(all, func(g *graphfiles.Graph) bool { return lib.plans.Saved.Approval(g) == graphfiles.ByPerson })...)
	}
	r := &ApproveGraphResult{Graphs: []ApprovedGraph{}}
	for _, g := range list {
		approval := ImportedGraph{Tools: []string{}, Kinds: []string{}}
		approval.read(g.Doc)
		one := ApprovedGraph{Name: g.Name, Description: approval.Description, Tools: approval.Tools, Graphs: g.Doc.Calls(), Requests: approval.Requests, Kinds: approval.Kinds, Nodes: approval.Nodes, Approved: []string{}}
		one.Error = lib.approveGraph(ctx, g, &one)
		r.Graphs = append(r.Graphs, one)
	}
	lib.plans.GraphSpecs.File()
	lib.process.Announce()
	if len(r.Graphs) == 1 && r.Graphs[0].Error != nil {
		return nil, r.Graphs[0].Error
	}
	return r, nil
}

// approveGraph approves one graph and pins its tools.
func (lib *Library) approveGraph(ctx context.Context, g *graphfiles.Graph, r *ApprovedGraph) *diag.Fault {
	var compiled []*engine.Plan
	for _, name := range g.ToolNames() {
		plan, found, fault := lib.plans.Compiled(ctx, false, "graph:"+name, g.Revision, g.Named(name).Name.Text(), g.Doc)
		if fault != nil {
			return fault
		}
		if plan == nil {
			return plans.CannotRun(name, found)
		}
		compiled = append(compiled, plan)
	}
	was, _ := lib.plans.Saved.Pins(g.Name) // what cannot be read is replaced
	now := lib.plans.Tools.Pins(compiled)
	if fault := lib.plans.Saved.Repin(g.Name, now); fault != nil {
		return fault
	}
	r.Reviewed = lib.plans.Saved.Approval(g) != graphfiles.ByPerson
	if fault := lib.plans.Saved.Approve(g.Name, g.Revision); fault != nil {
		return fault
	}
	for _, tool := range slices.Sorted(maps.Keys(now)) {
		if was[tool].Hash != now[tool].Hash {
			r.Approved = append(r.Approved, tool)
		}
	}
	return nil
}
