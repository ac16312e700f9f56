package engine

import (
	"fmt"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/specs"
)

// ports reads the connections of a node of another system and holds them to what
// its ports take.
func (p *Pass) ports(n *Node, spec *specs.Spec) []Edge {
	next := n.Next
	var edges []Edge
	byPort := map[string]int{}
	add := func(port string, v graph.Value) {
		targets := []graph.Value{v}
		if v.Is(graph.List) {
			targets = v.Items()
		}
		for _, t := range targets {
			edges = append(edges, Edge{Label: port, To: p.Target(n, t), At: t})
			byPort[port]++
		}
	}
	if spec == nil {
		return nil
	}
	var names []string
	for _, port := range spec.OutputPorts {
		names = append(names, port.Name)
	}
	switch {
	case next.Is(graph.Map):
		for _, port := range next.Keys() {
			if !slices.Contains(names, port) {
				d := p.Report(ruleUnknownPort, next.Key(port), n, "%s has no output port %q", spec.ID(), port)
				d.Hint = "its output ports are " + diag.OneOf(names, 12)
				if near := p.closest(port, names); near != "" {
					d.Fixes = []diag.Fix{next.RenameKey(fmt.Sprintf("rename to %q", near), port, near)}
				}
				continue
			}
			add(port, next.Get(port))
		}
	case next.Exists() && !next.Is(graph.Null) && len(names) > 0:
		add(names[0], next)
	}
	for _, port := range spec.OutputPorts {
		if most := port.MaxConnections; most > 0 && byPort[port.Name] > most {
			p.Report(ruleConnections, next, n, "output port %q of %s has %d connections, at most %d are allowed", port.Name, spec.ID(), byPort[port.Name], most)
		}
	}
	return edges
}

// checkForeignInputs holds what leads into nodes of other systems to what their
// input ports take together; a port without a limit takes any number.
func (p *Pass) checkForeignInputs() {
	arriving := map[NodeIndex]int{}
	for i := range p.plan.nodes {
		for _, e := range p.plan.nodes[i].edges {
			arriving[e.To]++
		}
	}
	for _, n := range p.nodes {
		if n.Kind == nil || !n.Kind.Spec.NotRunnable {
			continue
		}
		spec := p.env.Packs.Node(n.Kind.Spec.NodeType, n.Field("subtype").Text())
		if spec == nil {
			continue
		}
		most := 0
		for _, port := range spec.InputPorts {
			if port.MaxConnections == 0 {
				most = -1
				break
			}
			most += port.MaxConnections
		}
		if got := arriving[n.Index]; most >= 0 && got > most {
			p.Report(ruleConnections, n.where(), n, "%d connections lead into %q, its input ports take %d", got, n.ID, most)
		}
	}
}
