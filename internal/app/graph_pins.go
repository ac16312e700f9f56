package app

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/graphfiles"
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
func (pb *App) ApproveGraph(ctx context.Context, in ApproveGraphInput) (*ApproveGraphResult, *diag.Fault) {
	if pb.graphs == nil {
		return nil, noGraphs()
	}
	if len(in.Names) == 0 && !in.All {
		return nil, diag.BadArgument("/names", "name the graphs, or approve all; patchbay graphs list shows them", "the call names no graph")
	}
	var list []*graphfiles.Graph
	for _, name := range in.Names {
		g, _, fault := pb.graphs.Find(name)
		if fault != nil {
			return nil, fault
		}
		list = append(list, g)
	}
	if in.All {
		all, _ := pb.graphs.List()
		list = append(list, slices.DeleteFunc(all, func(g *graphfiles.Graph) bool { return pb.graphs.Approval(g) == graphfiles.ByPerson })...)
	}
	r := &ApproveGraphResult{Graphs: []ApprovedGraph{}}
	for _, g := range list {
		a := Arrival{Tools: []string{}, Kinds: []string{}}
		a.read(g.Doc)
		one := ApprovedGraph{Name: g.Name, Description: a.Description, Tools: a.Tools, Graphs: g.Doc.Calls(), Requests: a.Requests, Kinds: a.Kinds, Nodes: a.Nodes, Approved: []string{}}
		one.Error = pb.approveGraph(ctx, g, &one)
		r.Graphs = append(r.Graphs, one)
	}
	pb.publishGraphs()
	pb.announce()
	if len(r.Graphs) == 1 && r.Graphs[0].Error != nil {
		return nil, r.Graphs[0].Error
	}
	return r, nil
}

// approveGraph approves one graph and pins its tools.
func (pb *App) approveGraph(ctx context.Context, g *graphfiles.Graph, r *ApprovedGraph) *diag.Fault {
	var plans []*engine.Plan
	for _, name := range g.ToolNames() {
		plan, found, fault := pb.compiled(ctx, false, "graph:"+name, g.Revision, g.Named(name).Name.Text(), g.Doc)
		if fault != nil {
			return fault
		}
		if plan == nil {
			return cannotRun(name, found)
		}
		plans = append(plans, plan)
	}
	was, _ := pb.graphs.Pins(g.Name) // what cannot be read is replaced
	now := pb.pinsOf(plans)
	if fault := pb.graphs.Repin(g.Name, now); fault != nil {
		return fault
	}
	r.Reviewed = pb.graphs.Approval(g) != graphfiles.ByPerson
	if fault := pb.graphs.Approve(g.Name, g.Revision); fault != nil {
		return fault
	}
	for _, tool := range slices.Sorted(maps.Keys(now)) {
		if was[tool].Hash != now[tool].Hash {
			r.Approved = append(r.Approved, tool)
		}
	}
	return nil
}

// pinsOf are the definitions that the tools of plans have now. Tools of servers in this
// process have none.
func (pb *App) pinsOf(plans []*engine.Plan) graphfiles.Pins {
	pins := graphfiles.Pins{}
	if pb.hub == nil {
		return pins
	}
	for _, plan := range plans {
		for _, t := range plan.Tools() {
			if pin := pb.hub.Pin(t.Server(), t.Tool()); pin != nil {
				pins[t.Subtype] = graphfiles.ToolPin{Hash: pin.Hash, Version: pb.hub.Version(t.Server()), Definition: pin.Definition}
			}
		}
	}
	return pins
}

// checkPins is the fault of a saved graph that uses a tool whose definition is not the
// one it was saved with, nil if all are, or if their changes are accepted.
func (pb *App) checkPins(g *graphfiles.Graph, plan *engine.Plan) *diag.Fault {
	pins, fault := pb.graphs.Pins(g.Name)
	if fault != nil || len(pins) == 0 || pb.hub == nil {
		return fault
	}
	var first *diag.Fault
	more := 0
	for _, t := range plan.Tools() {
		was, pinned := pins[t.Subtype]
		now := pb.hub.Pin(t.Server(), t.Tool())
		switch {
		case !pinned || now == nil || now.Hash == was.Hash || pb.hub.Accepted(t.Server(), t.Tool(), was.Version):
		case first != nil:
			more++
		default:
			first = diag.Faultf("tool-changed", "tool %q of server %q has changed since the graph %q was saved", t.Tool(), t.Server(), g.Name)
			first.Got = pb.changes.brief(t.Tool(), was.Hash, was.Definition, now.Hash, now.Definition)
			first.Hint = "a person looks at the change and accepts it with patchbay graphs approve " + g.Name
		}
	}
	if more > 0 {
		first.Message += fmt.Sprintf(", and %d more of its tools", more)
	}
	return first
}

// cannotRun is the fault of a graph in which something was found.
func cannotRun(name string, found diag.List) *diag.Fault {
	if f := startingFault(found); f != nil {
		return f
	}
	first := found.With(diag.Error)[0]
	f := diag.Faultf("invalid-graph", "the graph %q cannot run: %s", name, first.Message)
	if first.Code == "tool-changed" {
		f.Code, f.Got = first.Code, first.Got
	}
	f.Hint = first.Hint
	return f
}
