package library

import (
	"context"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/specs"
)

// FixGraphsInput says in which saved graphs former names of tools are replaced.
type FixGraphsInput struct {
	Names []string `json:"names,omitempty" jsonschema:"saved graphs; all without names" arg:"[NAME…]"`
}

// FixGraphsResult lists the graphs in which names were replaced.
type FixGraphsResult struct {
	Graphs []FixedGraph `json:"graphs"`
}

// A FixedGraph is a saved graph that calls tools of APIs by former names.
type FixedGraph struct {
	Name     string        `json:"name"`
	Revision string        `json:"revision,omitempty"`
	Tools    []RenamedTool `json:"tools"`
	Error    *diag.Fault   `json:"error,omitempty"` // why it is as it was
}

// A RenamedTool is a node whose tool has another name now.
type RenamedTool struct {
	Node   string `json:"node"`
	Former string `json:"former"` // server/tool
	Now    string `json:"now"`    // server/tool
}

// Failed reports whether a graph is as it was.
func (r *FixGraphsResult) Failed() bool {
	return slices.ContainsFunc(r.Graphs, func(g FixedGraph) bool { return g.Error != nil })
}

// FixGraphs writes the names that tools of APIs have now into saved graphs. Who answers for a
// graph stays: a graph that nobody has approved is not changed.
func (lib *Library) FixGraphs(ctx context.Context, in FixGraphsInput) (*FixGraphsResult, *diag.Fault) {
	if lib.plans.Saved == nil {
		return nil, plans.NoGraphs()
	}
	list, _ := lib.plans.Saved.List()
	if len(in.Names) > 0 {
		list = nil
	}
	for _, name := range in.Names {
		g, _, fault := lib.plans.Saved.Find(name)
		if fault != nil {
			return nil, fault
		}
		list = append(list, g)
	}
	r := &FixGraphsResult{Graphs: []FixedGraph{}}
	for _, g := range list {
		lib.plans.Tools.AwaitPinned(ctx, g.Name)
		if one := lib.fixGraph(g); len(one.Tools) > 0 || one.Error != nil {
			r.Graphs = append(r.Graphs, one)
		}
	}
	lib.plans.GraphSpecs.File()
	lib.process.Announce()
	return r, nil
}

// fixGraph writes the names that tools have now into one graph and its pins.
func (lib *Library) fixGraph(g *graphfiles.Graph) FixedGraph {
	r := FixedGraph{Name: g.Name}
	pins, fault := lib.plans.Saved.Pins(g.Name)
	if fault != nil {
		r.Error = fault
		return r
	}
	var fixes []diag.Fix
	for _, t := range g.Doc.Tools() {
		for i := range t.Nodes {
			n := &t.Nodes[i]
			server, tool := n.Get("server").Text(), n.Get("tool").Text()
			if server == "" {
				server, tool, _ = strings.Cut(tool, "/")
			}
			if n.Type.Text() != specs.MCP || lib.offers(server, tool) {
				continue
			}
			former := server + "/" + tool
			name := lib.plans.Tools.Renamed(server, tool, pins[former].Endpoint)
			if name == "" {
				continue
			}
			now := server + "/" + name
			r.Tools = append(r.Tools, RenamedTool{n.ID.Text(), former, now})
			if n.Get("server").Text() == "" {
				name = now
			}
			fixes = append(fixes, n.Get("tool").Replace("", name))
			if pin, pinned := pins[former]; pinned {
				pins[now] = pin
				delete(pins, former)
			}
		}
	}
	approval := lib.plans.Saved.Approval(g)
	if len(fixes) > 0 && approval == graphfiles.Unapproved {
		r.Error = diag.Faultf(plans.NeedsApproval, "the graph %q calls tools by former names, and is not changed: nobody has approved it", g.Name).
			WithHint("look at it with patchbay graphs show " + g.Name + ", then: patchbay graphs approve " + g.Name)
	}
	if len(fixes) == 0 || r.Error != nil {
		return r
	}
	saved, fault := lib.plans.Saved.Save(g.Name, diag.ApplyEdits(g.Src, graph.Join("", fixes...).Edits), graphfiles.SaveOptions{
		Overwrite: true, Revision: g.Revision, Pins: pins, Agent: approval == graphfiles.ByAgent,
	})
	if fault != nil {
		r.Error = fault
		return r
	}
	r.Revision = saved.Revision
	return r
}

// offers reports whether a server offers a tool of that name now.
func (lib *Library) offers(server, tool string) bool {
	if lib.servers.Hub == nil {
		return false
	}
	for _, t := range lib.servers.Hub.Tools(server) {
		if t.Name == tool {
			return true
		}
	}
	return false
}
