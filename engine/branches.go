package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

var ruleExitInBranch = diag.Define("exit-in-branch", diag.Error,
	"A branch of a parallel node leads to an exit, or back to the parallel node, without passing its join.")

// branch is one branch of a parallel node: the nodes that run from its head until
// the join would be entered.
type branch struct {
	fork, head, join NodeIndex
	detached         bool // no node waits for it
	edge             Edge
	inside           []NodeIndex
	ends             []NodeIndex // those with an edge to the join
}

// maxInBranches bounds the nodes and edges of branches: those of a graph that puts the
// same thousands of nodes into thousands of branches are not told apart.
const maxInBranches = 4_000_000

// findBranches finds the branches of every node that has some, in document order.
func (p *Pass) findBranches() {
	kept := 0
	stamp := make([]int, len(p.plan.nodes))
	for _, n := range p.of(func(k *Kind) bool { return k.Forks || k.Detaches }) {
		edges := p.plan.nodes[n.Index].edges
		if len(edges) == 0 || edges[0].To == NoNode {
			continue
		}
		first := len(p.branches)
		for _, e := range edges[1:] {
			detached := strings.HasPrefix(e.Label, "detach/")
			if !detached && !strings.HasPrefix(e.Label, "branches/") || kept > maxInBranches {
				continue
			}
			b := branch{fork: n.Index, head: e.To, join: edges[0].To, edge: e, detached: detached}
			p.did(len(b.inside))
			kept += b.find(p.plan, stamp, len(p.branches)+1)
			p.branches = append(p.branches, b)
		}
		if p.forked == nil {
			p.forked = map[NodeIndex]span{}
		}
		p.forked[n.Index] = span{first, len(p.branches)}
	}
	p.findMembers()
}

// find fills inside and ends, and returns how many nodes and edges those have.
func (b *branch) find(plan *Plan, stamp []int, mark int) (size int) {
	queue := []NodeIndex{b.head}
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if stamp[i] == mark {
			continue
		}
		stamp[i] = mark
		b.inside = append(b.inside, i)
		size += 1 + len(plan.nodes[i].edges)
		if i == b.fork {
			continue
		}
		for _, e := range plan.nodes[i].edges {
			switch e.To {
			case NoNode:
			case b.join:
				if len(b.ends) == 0 || b.ends[len(b.ends)-1] != i {
					b.ends = append(b.ends, i)
				}
			default:
				queue = append(queue, e.To)
			}
		}
	}
	slices.Sort(b.inside)
	slices.Sort(b.ends)
	return size
}

// checkBranches reports branches that leave a parallel node otherwise than by its
// join.
func (p *Pass) checkBranches() {
	if len(p.foreign) > 0 || p.diags.HasErrors() {
		return
	}
	for _, b := range p.branches {
		for _, i := range b.inside {
			if p.plan.nodes[i].kind.Ends || i == b.fork {
				p.leaves(b, i)
				break
			}
		}
		if b.detached {
			p.checkDetached(b)
		}
	}
}

// leaves reports where a branch leaves; its last nodes can be led to the join.
func (p *Pass) leaves(b branch, to NodeIndex) {
	id := func(i NodeIndex) string { return p.plan.nodes[i].id }
	rule, fork := ruleExitInBranch, p.nodes[b.fork]
	if fork.Kind.Detaches {
		rule = ruleSecondWay
	}
	d := p.Report(rule, b.edge.At, fork, "the branch %q reaches %q without passing the join %q", id(b.head), id(to), id(b.join))
	d.Hint = "end the branch with next: " + id(b.join)
	if fork.Kind.Detaches {
		d.Message = fmt.Sprintf("the detached branch %q leads on to %q", id(b.head), id(to))
	}
	var fixes []diag.Fix
	for _, i := range b.inside {
		for _, e := range p.plan.nodes[i].edges {
			if e.To == to && i != b.fork {
				fixes = append(fixes, e.At.Replace("", id(b.join)))
			}
		}
	}
	if len(fixes) > 0 {
		d.Offer(graph.Join(d.Hint, fixes...))
	}
}

// inTurn returns which nodes follow each node if the branches of a parallel node
// ran one after the other: then what has run at its join is what dominates it.
func (p *Pass) inTurn() [][]NodeIndex {
	next := make([][]NodeIndex, len(p.plan.nodes))
	for i := range p.plan.nodes {
		for _, e := range p.plan.nodes[i].edges {
			next[i] = append(next[i], e.To)
		}
	}
	inner := slices.Clone(p.branches) // an inner one may share its join with the outer
	slices.SortStableFunc(inner, func(a, b branch) int { return len(a.inside) - len(b.inside) })
	seen := map[NodeIndex]bool{}
	for _, b := range inner {
		fork := b.fork
		if seen[fork] {
			continue
		}
		seen[fork] = true
		joining, detached := p.joining(fork)
		for k, b := range joining[:max(len(joining)-1, 0)] {
			b.lead(next, joining[k+1].head)
		}
		if len(joining) > 0 {
			next[fork] = []NodeIndex{joining[0].head}
			for _, e := range p.plan.nodes[fork].edges {
				if e.Label == onErrorLabel {
					next[fork] = append(next[fork], e.To)
				}
			}
		}
		for _, b := range detached {
			if len(joining) > 0 {
				next[fork] = append(next[fork], b.head)
			}
			p.end(&b, next)
		}
	}
	return next
}

// lead makes what follows the nodes of the branch lead to another node than the join.
func (b *branch) lead(next [][]NodeIndex, to NodeIndex) {
	for _, i := range b.inside {
		for j := range next[i] {
			if next[i][j] == b.join && i != b.fork {
				next[i][j] = to
			}
		}
	}
}
