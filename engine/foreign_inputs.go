package engine

import (
	"fmt"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

var (
	ruleIncompatiblePorts = diag.Define("incompatible-ports", diag.Error,
		"An output port leads to an input port that does not take what it gives: the types of the ports, their media types or their schemas differ.")
	ruleErrorToMain = diag.Define("error-to-main", diag.Note,
		"An error output leads to a main input. That is allowed, although the types of the ports differ: it is how a workflow handles errors.")
	ruleUnconnectedPort = diag.Define("unconnected-port", diag.Error,
		"A required input port of a node of another system has no connection.")
)

// checkInputs holds what leads into each node to what its input ports take.
func (p *Pass) checkInputs() {
	if len(p.foreign) == 0 {
		return
	}
	into := make([][]connection, len(p.nodes))
	for _, c := range p.connections {
		if c.to != NoNode {
			into[c.to] = append(into[c.to], c)
		}
	}
	for i, n := range p.nodes { // nodes that run here lead to others, too
		if n.Kind == nil || n.Kind.Spec.NotRunnable || len(n.Kind.Spec.OutputPorts) == 0 {
			continue
		}
		for _, e := range p.plan.nodes[i].edges {
			if e.To != NoNode && p.isForeign(p.nodes[e.To]) {
				into[e.To] = append(into[e.To], connection{n, &n.Kind.Spec.OutputPorts[0], graph.Edge{Target: e.At}, e.To})
			}
		}
	}
	for i, n := range p.nodes {
		if spec := p.inputSpec(n); spec != nil && (p.isForeign(n) || len(into[i]) > 0) {
			in := inputs{pass: p, node: n, spec: spec, used: make([]int, len(spec.InputPorts))}
			in.check(into[i])
		}
	}
}

func (p *Pass) isForeign(n *Node) bool { return n.Kind != nil && n.Kind.Spec.NotRunnable }

// inputSpec is what is known of a node's input ports, or nil.
func (p *Pass) inputSpec(n *Node) *specs.Spec {
	switch {
	case n.Kind == nil:
		return nil
	case n.Kind.Spec.NotRunnable:
		return p.env.Packs.Node(n.Kind.Spec.NodeType, n.Field("subtype").Text())
	}
	return &n.Kind.Spec
}

// inputs are the input ports of one node and how many connections each has.
type inputs struct {
	pass   *Pass
	node   *Node
	spec   *specs.Spec
	used   []int
	excess map[int]connection // of a port with more connections than it takes, the first too many
	faulty bool               // a connection is wrong: a port that seems free may be meant by it
}

// check gives each connection its port: first those that name theirs, then the others
// the ports that are left for them.
func (in *inputs) check(list []connection) {
	for _, named := range []bool{true, false} {
		for _, c := range list {
			switch {
			case (c.edge.Port.Text() != "") != named:
			case c.out == nil:
				in.faulty = true
			case named:
				in.named(c)
			default:
				in.unnamed(c)
			}
		}
	}
	for i, port := range in.spec.InputPorts {
		if c, ok := in.excess[i]; ok {
			in.pass.Report(ruleConnections, c.edge.Whole(), c.from, "%d connections lead to the input port %q of %q, which takes %d", in.used[i], port.Name, in.node.ID, port.MaxConnections)
		}
		if !port.Required || in.used[i] > 0 || in.faulty || !in.spec.NotRunnable {
			continue
		}
		d := in.pass.Report(ruleUnconnectedPort, in.node.where(), in.node, "nothing leads to the input port %q of %q, which is required", port.Name, in.node.ID)
		d.Hint = fmt.Sprintf("connect a node to it: next: {<output port>: {node: %s, port: %s}}", in.node.ID, port.Name)
		if len(in.spec.InputPorts) == 1 {
			d.Hint = "connect a node to it: next: " + in.node.ID
		}
	}
}

// named connects to the port that the edge names.
func (in *inputs) named(c connection) {
	name := c.edge.Port.Text()
	i := slices.IndexFunc(in.spec.InputPorts, func(port specs.Port) bool { return port.Name == name })
	if i < 0 {
		in.faulty = true
		d := in.pass.Report(ruleUnknownPort, c.edge.Port, c.from, "%s has no input port %q", in.spec.ID(), name)
		d.Hint = "it has no input ports: nothing leads to it"
		if names := in.names(); len(names) > 0 {
			d.Hint = "its input ports are " + diag.OneOf(names, 12)
			if near := in.pass.closest(name, names); near != "" {
				d.Offer(changeTo(c.edge.Port, near))
			}
		}
		return
	}
	port := &in.spec.InputPorts[i]
	verdict := schema.Connect(c.out, port)
	if verdict.Refused != "" {
		in.refuse(c, port, verdict.Refused)
		return
	}
	in.connect(c, i, verdict)
}

// unnamed connects to a port that takes what the edge gives: one that is free before
// one that is not, a required one before others, one of the same name before others.
func (in *inputs) unnamed(c connection) {
	best, rank := -1, -1
	var verdict schema.Connection
	for i := range in.spec.InputPorts {
		port := &in.spec.InputPorts[i]
		one := schema.Connect(c.out, port)
		if one.Refused != "" {
			continue
		}
		r := 0
		if port.MaxConnections == 0 || in.used[i] < port.MaxConnections {
			r += 8
		}
		if port.Required && in.used[i] == 0 {
			r += 4
		}
		if port.Name == c.out.Name {
			r += 2
		}
		if port.Required {
			r++
		}
		if r > rank {
			best, rank, verdict = i, r, one
		}
	}
	if best >= 0 {
		in.connect(c, best, verdict)
		return
	}
	if len(in.spec.InputPorts) == 0 {
		in.faulty = true
		in.pass.Report(ruleIncompatiblePorts, c.edge.Target, c.from, "%q cannot be connected: %s has no input port", in.node.ID, in.spec.ID()).Hint = "a workflow begins with it: nothing leads to it"
		return
	}
	port := &in.spec.InputPorts[0]
	in.refuse(c, port, schema.Connect(c.out, port).Refused)
}

// connect counts a connection of a port that takes it.
func (in *inputs) connect(c connection, i int, verdict schema.Connection) {
	port := &in.spec.InputPorts[i]
	if in.used[i]++; port.MaxConnections > 0 && in.used[i] == port.MaxConnections+1 {
		if in.excess == nil {
			in.excess = map[int]connection{}
		}
		in.excess[i] = c
	}
	if verdict.Because != "" {
		in.pass.Report(ruleErrorToMain, c.edge.Whole(), c.from, "the output port %q of %q leads to the input port %q of %q; %s", c.out.Name, c.from.ID, port.Name, in.node.ID, verdict.Because)
	}
}

// refuse reports a connection to a port that does not take it, and which ports do.
func (in *inputs) refuse(c connection, port *specs.Port, why string) {
	in.faulty = true
	d := in.pass.Report(ruleIncompatiblePorts, c.edge.Whole(), c.from, "the output port %q of %q does not fit the input port %q of %q: %s", c.out.Name, c.from.ID, port.Name, in.node.ID, why)
	var others []string
	for i := range in.spec.InputPorts {
		if other := &in.spec.InputPorts[i]; schema.Connect(c.out, other).Refused == "" {
			others = append(others, other.Name)
		}
	}
	switch {
	case len(others) > 0 && c.edge.Port.Exists():
		d.Hint = "ports that it fits: " + diag.OneOf(others, 6)
		if len(others) == 1 {
			d.Offer(changeTo(c.edge.Port, others[0]))
		}
	case in.spec.NotRunnable:
		d.Hint = "search_nodes with compatible_with finds nodes that take it"
	}
}

func (in *inputs) names() (names []string) {
	for _, port := range in.spec.InputPorts {
		names = append(names, port.Name)
	}
	return names
}
