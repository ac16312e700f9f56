package engine

import (
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
)

var (
	ruleUnreachable = diag.Define("unreachable-node", diag.Warning,
		"No path from the entry leads to the node: it never runs.")
	ruleNoWayOut = diag.Define("no-way-out", diag.Error,
		"No path from the node leads to an exit: a run that gets there can only end at its limits.")
)

// checkFlow checks the graph as a whole. A broken edge makes all after it
// unreachable, so it runs only where there are no errors so far.
func (p *Pass) checkFlow() {
	if len(p.foreign) > 0 || p.plan.entry == NoNode || p.diags.HasErrors() {
		return
	}
	reached := p.plan.reach(p.plan.entry)
	var exits []NodeIndex
	back := make([][]NodeIndex, len(p.plan.nodes))
	for i := range p.plan.nodes {
		if p.plan.nodes[i].kind.Ends || p.plan.nodes[i].last {
			exits = append(exits, NodeIndex(i))
		}
		for _, e := range p.plan.nodes[i].edges {
			back[e.To] = append(back[e.To], NodeIndex(i))
		}
	}
	ends := spread(exits, func(i NodeIndex) []NodeIndex { return back[i] }, len(p.plan.nodes))
	stuck := false
	for i, n := range p.nodes {
		switch {
		case !reached[i]:
			p.Report(ruleUnreachable, n.where(), n, "node %q never runs: no path leads to it from the entry", n.ID).Hint = "add an edge to it, or remove it"
		case !ends[i] && !stuck:
			stuck = true
			p.Report(ruleNoWayOut, n.where(), n, "no path leads from %q to an exit", n.ID).Hint = "add a switch to the loop, with a condition that leaves it"
		}
	}
}

// reach returns which nodes can run after one, itself included.
func (p *Plan) reach(from NodeIndex) []bool {
	return spread([]NodeIndex{from}, p.follows, len(p.nodes))
}

// follows returns the nodes to which the edges of one lead.
func (p *Plan) follows(i NodeIndex) (to []NodeIndex) {
	for _, e := range p.nodes[i].edges {
		to = append(to, e.To)
	}
	return to
}

// spread marks all that can be got to from some nodes.
func spread(from []NodeIndex, next func(NodeIndex) []NodeIndex, n int) []bool {
	seen := make([]bool, n)
	queue := append([]NodeIndex(nil), from...)
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		queue = append(queue, next(i)...)
	}
	return seen
}

// What is shown of the flow of a large graph.
const (
	flowLines = 60   // lines
	flowNodes = 1000 // nodes written out
	flowName  = 200  // runes of a name
)

// Flow is the graph as a few lines of text: chains of nodes joined by ->, one line
// for each branch, each node written out once.
//
//	entry -> list(filesystem/list_directory) -> choose{switch}
//	choose [0] -> large -> exit
//	choose [default] -> small -> exit
//
// A workflow of another system begins at the nodes to which nothing leads. Its edges
// name the ports that its text names: ask [error to main] -> log.
func (p *Plan) Flow() string {
	begins := p.begins()
	if len(begins) == 0 {
		return ""
	}
	var lines []string
	drawn, count := make([]bool, len(p.nodes)), 0
	type start struct {
		prefix string
		at     NodeIndex
	}
	queue := lists.Each(begins, func(at NodeIndex) start { return start{"", at} })
	for len(queue) > 0 {
		if len(lines) == flowLines || count >= flowNodes {
			lines = append(lines, fmt.Sprintf("… %d nodes in all", len(p.nodes)))
			break
		}
		s := queue[0]
		queue = queue[1:]
		var b strings.Builder
		b.WriteString(s.prefix)
		for i := s.at; i != NoNode; {
			n := &p.nodes[i]
			if drawn[i] {
				b.WriteString(diag.Cut(n.id, flowName))
				break
			}
			if count++; count > flowNodes {
				b.WriteString("…")
				queue = append(queue, start{})
				break
			}
			drawn[i] = true
			b.WriteString(n.title())
			at := NoNode
			for _, e := range n.edges {
				switch {
				case e.Label != "":
					queue = append(queue, start{fmt.Sprintf("%s [%s] -> ", diag.Cut(n.id, flowName), e.Label), e.To})
				case at == NoNode:
					at = e.To
				default:
					queue = append(queue, start{diag.Cut(n.id, flowName) + " -> ", e.To})
				}
			}
			if at != NoNode {
				b.WriteString(" -> ")
			}
			i = at
		}
		lines = append(lines, b.String())
	}
	return strings.Join(lines, "\n")
}

// begins lists the nodes at which a run, or a workflow of another system, begins.
func (p *Plan) begins() []NodeIndex {
	if len(p.foreign) == 0 {
		if p.entry == NoNode {
			return nil
		}
		return []NodeIndex{p.entry}
	}
	follows := make([]bool, len(p.nodes))
	for i := range p.nodes {
		for _, e := range p.nodes[i].edges {
			if e.To != NoNode {
				follows[e.To] = true
			}
		}
	}
	var begins []NodeIndex
	for i, after := range follows {
		if !after {
			begins = append(begins, NodeIndex(i))
		}
	}
	if len(begins) == 0 {
		return []NodeIndex{0} // a loop
	}
	return begins
}
