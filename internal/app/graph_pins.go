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

// ApproveGraphInput names a saved graph whose tools have changed.
type ApproveGraphInput struct {
	Name string `json:"name" jsonschema:"a saved graph" arg:"NAME"`
}

// ApproveGraphResult lists the tools whose changes were accepted, as server/tool.
type ApproveGraphResult struct {
	Name     string   `json:"name"`
	Approved []string `json:"approved"`
	Reviewed bool     `json:"reviewed"` // an agent had saved it, and nobody had approved it
}

// ApproveGraph accepts a saved graph that an agent has saved, and the tools that it uses, as
// they are now.
func (pb *App) ApproveGraph(ctx context.Context, in ApproveGraphInput) (*ApproveGraphResult, *diag.Fault) {
	if pb.graphs == nil {
		return nil, noGraphs()
	}
	g, _, fault := pb.graphs.Find(in.Name)
	if fault != nil {
		return nil, fault
	}
	var plans []*engine.Plan
	for _, name := range g.ToolNames() {
		plan, found, fault := pb.compiled(ctx, false, "graph:"+name, g.Revision, g.Named(name).Name.Text(), g.Doc, false)
		if fault != nil {
			return nil, fault
		}
		if plan == nil {
			return nil, cannotRun(name, found)
		}
		plans = append(plans, plan)
	}
	was, _ := pb.graphs.Pins(g.Name) // what cannot be read is replaced
	now := pb.pinsOf(plans)
	if fault := pb.graphs.Repin(g.Name, now); fault != nil {
		return nil, fault
	}
	r := &ApproveGraphResult{Name: g.Name, Approved: []string{}, Reviewed: pb.graphs.Unreviewed(g.Name, g.Revision)}
	if fault := pb.graphs.Review(g.Name, g.Revision); fault != nil {
		return nil, fault
	}
	pb.announce()
	for _, tool := range slices.Sorted(maps.Keys(now)) {
		if was[tool].Hash != now[tool].Hash {
			r.Approved = append(r.Approved, tool)
		}
	}
	return r, nil
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
	first := found.With(diag.Error)[0]
	f := diag.Faultf("invalid-graph", "the graph %q cannot run: %s", name, first.Message)
	if first.Code == "tool-changed" {
		f.Code, f.Got = first.Code, first.Got
	}
	f.Hint = first.Hint
	return f
}
