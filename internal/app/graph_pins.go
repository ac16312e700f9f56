package app

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/specs"
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
func (a *App) ApproveGraph(ctx context.Context, in ApproveGraphInput) (*ApproveGraphResult, *diag.Fault) {
	if a.library.graphs == nil {
		return nil, noGraphs()
	}
	if len(in.Names) == 0 && !in.All {
		return nil, diag.BadArgument("/names", "name the graphs, or approve all; patchbay graphs list shows them", "the call names no graph")
	}
	var list []*graphfiles.Graph
	for _, name := range in.Names {
		g, _, fault := a.library.graphs.Find(name)
		if fault != nil {
			return nil, fault
		}
		list = append(list, g)
	}
	if in.All {
		all, _ := a.library.graphs.List()
		list = append(list, slices.DeleteFunc(all, func(g *graphfiles.Graph) bool { return a.library.graphs.Approval(g) == graphfiles.ByPerson })...)
	}
	r := &ApproveGraphResult{Graphs: []ApprovedGraph{}}
	for _, g := range list {
		approval := ImportedGraph{Tools: []string{}, Kinds: []string{}}
		approval.read(g.Doc)
		one := ApprovedGraph{Name: g.Name, Description: approval.Description, Tools: approval.Tools, Graphs: g.Doc.Calls(), Requests: approval.Requests, Kinds: approval.Kinds, Nodes: approval.Nodes, Approved: []string{}}
		one.Error = a.approveGraph(ctx, g, &one)
		r.Graphs = append(r.Graphs, one)
	}
	a.publishGraphs()
	a.announce()
	if len(r.Graphs) == 1 && r.Graphs[0].Error != nil {
		return nil, r.Graphs[0].Error
	}
	return r, nil
}

// approveGraph approves one graph and pins its tools.
func (a *App) approveGraph(ctx context.Context, g *graphfiles.Graph, r *ApprovedGraph) *diag.Fault {
	var plans []*engine.Plan
	for _, name := range g.ToolNames() {
		plan, found, fault := a.compiled(ctx, false, "graph:"+name, g.Revision, g.Named(name).Name.Text(), g.Doc)
		if fault != nil {
			return fault
		}
		if plan == nil {
			return cannotRun(name, found)
		}
		plans = append(plans, plan)
	}
	was, _ := a.library.graphs.Pins(g.Name) // what cannot be read is replaced
	now := a.toolPins(plans)
	if fault := a.library.graphs.Repin(g.Name, now); fault != nil {
		return fault
	}
	r.Reviewed = a.library.graphs.Approval(g) != graphfiles.ByPerson
	if fault := a.library.graphs.Approve(g.Name, g.Revision); fault != nil {
		return fault
	}
	for _, tool := range slices.Sorted(maps.Keys(now)) {
		if was[tool].Hash != now[tool].Hash {
			r.Approved = append(r.Approved, tool)
		}
	}
	return nil
}

// toolPins are the definitions that the tools of plans have now. Tools of servers in this
// process have none.
func (a *App) toolPins(plans []*engine.Plan) graphfiles.Pins {
	pins := graphfiles.Pins{}
	if a.servers.hub == nil {
		return pins
	}
	for _, plan := range plans {
		for _, t := range plan.Tools() {
			if endpoint := a.endpoint(t.Server(), t.Tool()); endpoint != "" {
				pins[t.Subtype] = graphfiles.ToolPin{Endpoint: endpoint}
			} else if pin := a.servers.hub.Pin(t.Server(), t.Tool()); pin != nil {
				pins[t.Subtype] = graphfiles.ToolPin{Hash: pin.Hash, Version: a.servers.hub.Version(t.Server()), Definition: pin.Definition}
			}
		}
	}
	return pins
}

// checkPins is the fault of a saved graph that uses a tool whose definition is not the
// one it was saved with, nil if all are, or if their changes are accepted.
func (a *App) checkPins(g *graphfiles.Graph, plan *engine.Plan) *diag.Fault {
	pins, fault := a.library.graphs.Pins(g.Name)
	if fault != nil || len(pins) == 0 || a.servers.hub == nil {
		return fault
	}
	var first *diag.Fault
	more := 0
	for _, t := range plan.Tools() {
		was, pinned := pins[t.Subtype]
		now := a.servers.hub.Pin(t.Server(), t.Tool())
		if pinned && was.Endpoint != "" {
			if f := a.otherEndpoint(g.Name, t.Server(), t.Tool(), was.Endpoint); f != nil && first == nil {
				first = f
			} else if f != nil {
				more++
			}
			continue
		}
		switch {
		case !pinned || now == nil || now.Hash == was.Hash || a.servers.hub.Accepted(t.Server(), t.Tool(), was.Version) || a.unnoticed(g, t, was, now):
		case first != nil:
			more++
		default:
			first = diag.Faultf(diag.CodeToolChanged, "tool %q of server %q has changed since the graph %q was saved", t.Tool(), t.Server(), g.Name)
			first.Got = a.servers.changes.brief(t.Tool(), was.Hash, was.Definition, now.Hash, now.Definition)
			first.Hint = "a person looks at the change and accepts it with patchbay graphs approve " + g.Name
		}
	}
	if more > 0 {
		first.Message += fmt.Sprintf(", and %d more of its tools", more)
	}
	return first
}

// unnoticed reports whether a graph works with a tool as it is now as it did with the tool
// that it was saved with. The first time, it is logged.
func (a *App) unnoticed(g *graphfiles.Graph, t *specs.Spec, was graphfiles.ToolPin, now *downstream.Pin) bool {
	key := g.Name + "\x00" + g.Revision + "\x00" + t.Subtype + "\x00" + was.Hash + "\x00" + now.Hash
	if text, known := a.servers.changes.kept.Get(key); known {
		return text == ChangeCompatible
	}
	c := classify(was.Definition, now.Definition, a.usesIn(g.Doc, t.Server(), t.Tool()))
	a.servers.changes.kept.Add(key, c.Class)
	if c.Class == ChangeCompatible {
		a.log.Warn("a tool has changed since a graph was saved, which the graph does not notice", "graph", g.Name, "tool", t.Subtype, "change", strings.Join(c.Reasons, "; "))
	}
	return c.Class == ChangeCompatible
}

// awaitPinned waits for the APIs that a saved graph calls: their documents may have changed.
// Where one cannot be read, a call says so.
func (a *App) awaitPinned(ctx context.Context, graph string) {
	pins, _ := a.library.graphs.Pins(graph) // checkPins says why it cannot be read
	for tool, pin := range pins {
		if server, _, _ := strings.Cut(tool, "/"); pin.Endpoint != "" && a.servers.hub != nil {
			_ = a.servers.hub.Ready(ctx, server)
		}
	}
}

// endpoint is what a call of an API's tool requests, "" of any other tool.
func (a *App) endpoint(server, tool string) string {
	for _, t := range a.servers.hub.Tools(server) {
		if t.Name == tool {
			return t.Endpoint
		}
	}
	return ""
}

// otherEndpoint is the fault of an API's tool that requests something else now than when a
// graph was saved, nil if it does not. It names the tool that requests that now.
func (a *App) otherEndpoint(graph, server, tool, was string) *diag.Fault {
	now := a.endpoint(server, tool)
	if now == was {
		return nil
	}
	f := diag.Faultf(diag.CodeToolChanged, "tool %q of server %q requests %s now, and requested %s when the graph %q was saved", tool, server, now, was, graph)
	f.Got, f.Want = now, was
	f.Hint = "if that is meant, a person accepts it with patchbay graphs approve " + graph
	for _, t := range a.servers.hub.Tools(server) {
		if t.Endpoint == was {
			f.Hint = fmt.Sprintf("write %q in the graph: that is the tool for %s now", t.Name, was)
		}
	}
	return f
}

// renamed returns the only tool of an API that requests what a graph was saved with or, where
// that is not known, that may have had a name before long and shared names ended with a hash;
// "" if none is the only one.
func (a *App) renamed(server, tool, was string) (name string) {
	if a.servers.hub == nil {
		return ""
	}
	for _, t := range a.servers.hub.Tools(server) {
		stem, hashed := cutHash(t.Name)
		switch {
		case t.Endpoint == "", was != "" && t.Endpoint != was:
			continue
		case was == "" && (!hashed || (len(stem) < longStem || !strings.HasPrefix(tool, stem)) && strings.TrimRight(tool, "0123456789") != stem+"_"):
			continue
		case name != "":
			return ""
		}
		name = t.Name
	}
	return name
}

// longStem is how much is left of a name that was cut, before its hash.
const longStem = 55

// cutHash cuts the hash off a name of [listing.Hashed].
func cutHash(name string) (stem string, hashed bool) {
	i := strings.LastIndexByte(name, '_')
	if i < 0 || len(name)-i != 9 {
		return name, false
	}
	_, err := hex.DecodeString(name[i+1:])
	return name[:i], err == nil
}

// cannotRun is the fault of a graph in which something was found.
func cannotRun(name string, found diag.List) *diag.Fault {
	if f := startingFault(found); f != nil {
		return f
	}
	first := found.With(diag.Error)[0]
	f := diag.Faultf(engine.CodeInvalidGraph, "the graph %q cannot run: %s", name, first.Message)
	if first.Code == diag.CodeToolChanged {
		f.Code, f.Got = first.Code, first.Got
	}
	f.Hint = first.Hint
	return f
}
