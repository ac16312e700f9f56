package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

var ruleEdgeList = diag.Define("edge-list", diag.Error,
	"The tool has a separate list of edges. An edge is the next field of the node it leaves.")

// edgeKeys are where other systems keep the edges of a graph.
var edgeKeys = []string{"edges", "connections", "links", "transitions"}

// A separateEdge is an edge written outside the nodes. Its target has a place of
// its own unless both ends are one text.
type separateEdge struct {
	from, to string
	target   graph.Value
}

// separateEdges reads edges in the forms of other systems: {from, to} and the
// like, pairs, "a -> b", a map of node to node, n8n's connections. ok is false
// when some of them cannot be read or say more than that.
func separateEdges(v graph.Value) (edges []separateEdge, ok bool) {
	ok = true
	add := func(from, to graph.Value) {
		if !from.Is(graph.String) || !to.Is(graph.String) {
			ok = false
			return
		}
		edges = append(edges, separateEdge{from.Text(), to.Text(), to})
	}
	for _, e := range v.Items() {
		switch items := e.Items(); {
		case len(items) == 2:
			add(items[0], items[1])
		case e.Is(graph.String):
			from, to, found := strings.Cut(e.Text(), "->")
			ok = ok && found
			edges = append(edges, separateEdge{from: strings.TrimSpace(from), to: strings.TrimSpace(to)})
		default:
			ok = ok && !firstMember(e, "condition", "when", "if").Exists()
			add(firstMember(e, "from", "source", "src"), firstMember(e, "to", "target", "dest", "destination"))
		}
	}
	for _, from := range v.Keys() {
		to := v.Get(from)
		for onlyItem(to).Exists() {
			to = onlyItem(to)
		}
		if first := onlyItem(onlyItem(to.Get("main"))); first.Exists() {
			to = first.Get("node")
		}
		add(v.Key(from), to)
	}
	return edges, ok
}

// onlyItem returns the item of a list of one, the zero Value for anything else.
func onlyItem(v graph.Value) graph.Value {
	if items := v.Items(); len(items) == 1 {
		return items[0]
	}
	return graph.Value{}
}

// recoverEdges understands separate edges as if each had been written as the next
// of the node it leaves.
func (p *Pass) recoverEdges() {
	for _, key := range edgeKeys {
		list := p.tool.Get(key)
		if !list.Exists() {
			continue
		}
		d := p.Report(ruleEdgeList, p.tool.Key(key), nil, "a tool has no field %s: edges are the next fields of its nodes", key)
		d.Hint = "write next: <id> in the node an edge leaves; a switch has conditions: [{rule, next}] and next"
		edges, single := separateEdges(list)
		fixes := []diag.Fix{}
		seen := map[string]bool{}
		for _, e := range edges {
			i, ok := p.index[e.from]
			if !ok || seen[e.from] {
				single = false
				continue
			}
			seen[e.from] = true
			n := p.nodes[i]
			if n.Next.Exists() {
				continue
			}
			fixes = append(fixes, n.Insert("", "next", e.to, ""))
			n.suppress("next")
			if e.target.Exists() {
				n.set("next", e.target)
			}
		}
		if single {
			d.Offer(graph.Join("move the edges into next fields", append(fixes, list.Remove(""))...))
		}
	}
}

// lostTarget reports an edge that leads to no node, and follows it to the one that
// its author means.
func (p *Pass) lostTarget(n *Node, v graph.Value) NodeIndex {
	if p.pendingIDs[v.Text()] || p.noExit && isEnding(v.Text()) {
		return NoNode
	}
	d := p.Report(ruleDanglingEdge, v, n, "there is no node %q", v.Text())
	if exits := p.exits; len(exits) > 0 && isEnding(v.Text()) {
		d.WithFix(fmt.Sprintf("the run ends at %q", exits[0].ID), changeTo(v, exits[0].ID))
		return exits[0].Index
	}
	return p.nodeIndex(p.suggest(d, v, p.nodeIDs()))
}

// endingWords are what authors write as the next node to end the run.
var endingWords = []string{"exit", "end", "stop", "finish", "done", "return", "output", "result", "null", "none", ""}

// isEnding reports whether an author who writes this as the next node means the end
// of the run.
func isEnding(s string) bool {
	return slices.Contains(endingWords, strings.ToLower(strings.Trim(s, "_ ")))
}

// lostExits are the ids of no node under which edges lead to an end, the usual
// ones first.
func (p *Pass) lostExits() []string {
	var usual, others []string
	for _, n := range p.nodes {
		targets := []graph.Value{n.Next}
		for _, c := range n.Conditions {
			targets = append(targets, c.Next)
		}
		for _, v := range targets {
			id := v.Text()
			switch {
			case !v.Is(graph.String) || p.isNode(id) || id == "" || slices.Contains(usual, id) || slices.Contains(others, id):
			case isEnding(id):
				usual = append(usual, id)
			case slices.ContainsFunc(idWords.FindAllString(id, -1), isEnding):
				others = append(others, id)
			}
		}
	}
	return append(usual, others...)
}

// idWords finds the words of an id: early_exit, earlyExit, early-exit.
var idWords = regexp.MustCompile(`[A-Z]?[a-z]+`)
