package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// wrappedTarget recovers from the id of a node inside a list or a map.
func (p *Pass) wrappedTarget(n *Node, v graph.Value) NodeIndex {
	if onlyItem(v).Is(graph.String) {
		only := onlyItem(v).Text()
		d := p.Report(ruleWrongShape, v, n, "an edge leads to one node, got a list")
		d.Hint = "write the id alone: " + only
		d.Fixes = []diag.Fix{v.Replace(fmt.Sprintf("change to %q", only), only)}
		return p.indexOf(only)
	}
	if id := firstOf(v, "node", "id", "next", "to", "target"); id.Is(graph.String) && p.isNode(id.Text()) {
		d := p.Report(ruleWrongShape, v, n, "an edge names one node, got a map")
		d.Hint = "write the id alone: " + id.Text()
		d.Fixes = []diag.Fix{v.Replace(fmt.Sprintf("change to %q", id.Text()), id.Text())}
		return p.indexOf(id.Text())
	}
	p.Report(ruleWrongShape, v, n, "an edge names one node, got %s", shape(v)).Hint = "to run one after the other, chain them with next; to choose, use a switch"
	return NoNode
}

// lostTarget reports an edge that leads to no node, and follows it to the one that
// its author means.
func (p *Pass) lostTarget(n *Node, v graph.Value) NodeIndex {
	if p.pendingIDs[v.Text()] || p.noExit && isEnding(v.Text()) {
		return NoNode
	}
	d := p.Report(ruleDanglingEdge, v, n, "there is no node %q", v.Text())
	if exits := p.exits(v.Text()); len(exits) > 0 {
		d.Hint = fmt.Sprintf("the run ends at %q", exits[0].ID)
		d.Fixes = []diag.Fix{v.Replace(fmt.Sprintf("change to %q", exits[0].ID), exits[0].ID)}
		return exits[0].Index
	}
	near := p.suggest(d, v, p.nodeIDs())
	return p.indexOf(near)
}

// exits returns the exits of the tool if that is what an author means by a word.
func (p *Pass) exits(word string) []*Node {
	if !isEnding(word) {
		return nil
	}
	return p.of(ends)
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
