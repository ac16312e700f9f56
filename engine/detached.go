package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
)

// A detached branch begins after a node and is not waited for.
type detached struct {
	name string // of its first node
	from NodeIndex
	join NodeIndex // what follows the node; the branch ends before it
}

var (
	ruleSeveralNext = diag.Define("several-next", diag.Error,
		"A node of a workflow names several nodes in next. One of its outputs leads on to the end; write the others under detach.")
	ruleDetachList = diag.Define("bad-detach", diag.Error,
		"The value of detach is not a list of different node ids, the first node of each branch that is not waited for.")
)

// detachField is the field of nodes after which branches begin.
var detachField = Field{Name: "detach", Type: "array", Edges: true, Doc: "detach: [<id of a branch's first node>, …], branches that begin after this node, are not waited for and change nothing; each ends with a hook that has blocking: false, or at the node under next", Aliases: strings.Fields("detached fireAndForget background async beside")}

// outputs resolves next and detach of a node.
func (p *Pass) outputs(n *Node) []Edge {
	edges := p.Next(n)
	if list := n.DetachList; list.Exists() && len(n.Detached) == 0 {
		d := p.Report(ruleDetachList, list, n, "detach is %s, expected a list of node ids", shape(list))
		d.Hint = detachField.Doc
		if list.Is(graph.String) && p.nodeIndex(list.Text()) != NoNode {
			d.Offer(list.Replace("write a list", []any{list.Text()}))
		}
	}
	seen := map[NodeIndex]bool{edges[0].To: true}
	for _, branch := range n.Detached {
		to := p.Target(n, branch.Target)
		if to == NoNode {
			continue
		}
		if seen[to] {
			p.Report(ruleDetachList, branch.Target, n, "the output %q is listed twice", p.nodes[to].ID).
				Offer(branch.Target.Remove("remove it"))
			continue
		}
		seen[to] = true
		edges = append(edges, Edge{Label: branch.Label, To: to, At: branch.Target})
		p.plan.detaches = true
	}
	return edges
}

// severalNext reads a list of nodes in next as the format has it: the one that leads on
// to the end is next, the others are detached. Of two that lead there it is not known
// which runs first.
func severalNext(p *Pass, n *Node) {
	if !n.Next.Is(graph.Array) || len(n.NextList) == 0 {
		return
	}
	main := n.NextList[0]
	for _, e := range n.NextList {
		if p.leadsToEnd(e.Target.Text()) {
			main = e
			break
		}
	}
	var others []any
	var loose []graph.Edge
	second := ""
	for _, e := range n.NextList {
		if e.Target != main.Target && e.Target.Is(graph.String) {
			others = append(others, e.Target.Text())
			if p.leadsToEnd(e.Target.Text()) {
				second = e.Target.Text()
			}
			loose = append(loose, graph.Edge{Label: "detach/" + e.Target.Text(), Target: e.Target})
		}
	}
	d := p.Report(ruleSeveralNext, n.Next, n, "next names %d nodes, and one follows", len(n.NextList))
	if second != "" {
		d.Hint = fmt.Sprintf("%s and %s both lead on to the end, which has a single input: lead one to the other", main.Target.Text(), second)
		n.Next, n.NextList = main.Target, nil
		return
	}
	d.Hint = "write next: " + main.Target.Text()
	fixes := []diag.Fix{n.Next.Replace("", main.Target.Text())}
	if len(others) > 0 && !n.DetachList.Exists() {
		d.Hint += ", and the others under detach"
		fixes = append(fixes, n.Insert("", "detach", others, "next"))
		n.Detached = loose
	}
	d.Offer(graph.Join(d.Hint, fixes...))
	n.Next, n.NextList = main.Target, nil
}

// leadsToEnd reports whether edges of the document lead from a node to an end of the
// graph, whatever is wrong with the nodes on the way.
func (p *Pass) leadsToEnd(id string) bool {
	if p.nodeIndex(id) == NoNode {
		return false
	}
	reached := spread([]NodeIndex{p.nodeIndex(id)}, func(i NodeIndex) (to []NodeIndex) {
		for e := range p.nodes[i].Edges() {
			if next := p.nodeIndex(e.Target.Text()); next != NoNode {
				to = append(to, next)
			}
		}
		return to
	}, len(p.nodes))
	for i, n := range p.nodes {
		if reached[i] && n.Kind != nil && n.Kind.Ends {
			return true
		}
	}
	return false
}

// looseAfter are the branches that begin after a node with the edges of outputs.
func (p *Pass) looseAfter(edges []Edge) (list []detached) {
	for i, e := range edges {
		if i > 0 && strings.HasPrefix(e.Label, "detach/") {
			list = append(list, detached{name: p.nodes[e.To].ID, from: e.To, join: edges[0].To})
		}
	}
	return list
}

// detach begins the branches after a node that has been executed.
func (s *State) detach(n *planNode) {
	for _, d := range n.loose {
		b := s.Child(d.name)
		key := s.step.Key + run.AfterKey + d.name
		b.dir = key + "/"
		s.loose.Go(key, func(ctx context.Context) error {
			_, err := b.Walk(ctx, d.from, d.join)
			return err
		})
	}
}
