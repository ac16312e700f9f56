package engine

import (
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A connection is an edge with a node of another system at one of its ends, or both.
type connection struct {
	from *Node
	out  *specs.Port // nil if it is not known
	edge graph.Edge
	to   NodeIndex
}

// ports reads the connections of a node of another system and holds them to what
// its output ports take. Where they lead is checked when all nodes are known.
func (p *Pass) ports(n *Node, spec *specs.Spec) []Edge {
	if spec == nil {
		return nil
	}
	list := n.NextList
	if n.Next.Is(graph.String) {
		list = []graph.Edge{{Target: n.Next}}
	}
	edges := make([]Edge, 0, len(list))
	counts := map[string]int{}
	unknown := map[string]bool{}
	for _, e := range list {
		out := p.outputPort(n, spec, e, unknown)
		if e.Label != "" && out == nil {
			p.connections = append(p.connections, connection{n, nil, e, p.nodeIndex(e.Target.Text())})
			continue
		}
		p.connectionKeys(n, e)
		to := p.Target(n, e.Target)
		label := e.Label
		if port := e.Port.Text(); port != "" {
			label = portsLabel(label, port)
		}
		edges = append(edges, Edge{Label: label, To: to, At: e.Target})
		if out != nil {
			counts[out.Name]++
		}
		p.connections = append(p.connections, connection{n, out, e, to})
	}
	for _, port := range spec.OutputPorts {
		if most := port.MaxConnections; most > 0 && counts[port.Name] > most {
			p.Report(ruleConnections, n.Next, n, "output port %q of %s has %d connections, at most %d are allowed", port.Name, spec.ID(), counts[port.Name], most)
		}
	}
	return edges
}

// portsLabel names an edge by its output port, if it is named, and its input port.
func portsLabel(out, in string) string {
	if out == "" {
		return "to " + in
	}
	return out + " to " + in
}

// outputPort finds the port that an edge leaves by: the one that it names, else the
// first. A port that the node lacks is reported once.
func (p *Pass) outputPort(n *Node, spec *specs.Spec, e graph.Edge, reported map[string]bool) *specs.Port {
	var names []string
	for i, port := range spec.OutputPorts {
		if e.Label == "" || port.Name == e.Label {
			return &spec.OutputPorts[i]
		}
		names = append(names, port.Name)
	}
	switch {
	case len(names) == 0 && !reported[""]:
		reported[""] = true
		p.Report(ruleUnknownPort, memberKey(n.Next), n, "%s has no output port: nothing follows it", spec.ID())
	case len(names) > 0 && !reported[e.Label]:
		reported[e.Label] = true
		d := p.Report(ruleUnknownPort, n.Next.Key(e.Label), n, "%s has no output port %q", spec.ID(), e.Label)
		d.Hint = "its output ports are " + diag.OneOf(names, 12)
		if near := p.closest(e.Label, names); near != "" {
			d.Offer(n.Next.RenameKey(fmt.Sprintf("rename to %q", near), e.Label, near))
		}
	}
	return nil
}

// connectionKeys reports what a map that says where an edge leads has besides the
// node and the port.
func (p *Pass) connectionKeys(n *Node, e graph.Edge) {
	where := e.Whole()
	if e.Target.Name() == "node" {
		where = e.Target.Parent()
	}
	if where == n.Next && !where.Is(graph.Object) || where == e.Target {
		return
	}
	for _, key := range where.Keys() {
		if key == "node" || key == "port" {
			continue
		}
		d := p.Report(ruleMisspeltKey, where.Key(key), n, "a connection has no %q: it has node and port", key)
		if near := p.closest(key, []string{"port"}); near != "" && !e.Port.Exists() {
			d.Offer(where.RenameKey(`rename to "port"`, key, near))
		}
	}
	if e.Port.Exists() && !e.Port.Is(graph.String) {
		p.Report(ruleWrongShape, e.Port, n, "port is %s, expected the name of an input port", shape(e.Port))
	}
}
