package engine

import (
	"slices"
)

// precedence answers which nodes have run when a node starts.
type precedence struct {
	plan *Plan
	next [][]NodeIndex // what follows each node, NoNode too; parallel branches in turn
	idom []int         // immediate dominator by node; -1 for the entry and what is unreachable
	rank []int         // position in reverse postorder; -1 for what is unreachable
	// order is the reachable nodes in reverse postorder: without loops, every node
	// comes after all that run before it.
	order  []NodeIndex
	cyclic bool
	place  []int  // in the dominator tree, counted depth first
	size   []int  // of the subtree below a node, itself included
	after  *reach // what can run after a node; nil until that is asked
}

func newPrecedence(p *Plan, next [][]NodeIndex) *precedence {
	pr := &precedence{plan: p, next: next, rank: make([]int, len(p.nodes))}
	for i := range p.nodes {
		pr.rank[i] = -1
	}
	pr.postorder()
	pr.idom = dominators(next, p.entry)
	pr.number()
	return pr
}

// number gives every node its place in the dominator tree, a node's descendants
// right after it, so that dominance is a comparison.
func (pr *precedence) number() {
	pr.place, pr.size = make([]int, len(pr.idom)), make([]int, len(pr.idom))
	for _, i := range slices.Backward(pr.order) {
		pr.size[i]++
		if up := pr.idom[i]; up >= 0 {
			pr.size[up] += pr.size[i]
		}
	}
	free := make([]int, len(pr.idom)) // the first place below a node that is not taken
	for _, i := range pr.order {
		if up := pr.idom[i]; up >= 0 {
			pr.place[i] = free[up]
			free[up] += pr.size[i]
		}
		free[i] = pr.place[i] + 1
	}
}

// postorder fills order and rank without recursion: graphs are up to 10,000 nodes
// deep.
func (pr *precedence) postorder() {
	type frame struct {
		at   NodeIndex
		edge int
	}
	state := make([]byte, len(pr.plan.nodes)) // 1 on the stack, 2 done
	stack := []frame{{pr.plan.entry, 0}}
	state[pr.plan.entry] = 1
	var done []NodeIndex
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		edges := pr.next[f.at]
		if f.edge == len(edges) {
			state[f.at] = 2
			done = append(done, f.at)
			stack = stack[:len(stack)-1]
			continue
		}
		to := edges[f.edge]
		f.edge++
		switch {
		case to == NoNode:
		case state[to] == 0:
			state[to] = 1
			stack = append(stack, frame{to, 0})
		case state[to] == 1:
			pr.cyclic = true
		}
	}
	for _, i := range slices.Backward(done) {
		pr.rank[i] = len(pr.order)
		pr.order = append(pr.order, i)
	}
}

// when says whether a node has run by the time another starts.
type when int

const (
	never  when = iota
	maybe       // on some paths
	always      // on every path
)

// before says whether m has run when n starts.
func (pr *precedence) before(m, n NodeIndex) when {
	if pr.rank[m] < 0 || pr.rank[n] < 0 {
		return never
	}
	if m != n && pr.place[m] <= pr.place[n] && pr.place[n] < pr.place[m]+pr.size[m] {
		return always
	}
	if pr.reaches(m, n) {
		return maybe
	}
	return never
}

// reaches reports whether n can run after m, which may be n itself in a loop.
func (pr *precedence) reaches(m, n NodeIndex) bool {
	if pr.after == nil {
		pr.after = newReach(pr.next, pr.order)
	}
	return pr.after.follows(m, n)
}

// bypass is a path from the entry to n that does not run m, as ids, or nil.
func (pr *precedence) bypass(m, n NodeIndex) []string {
	from := map[NodeIndex]NodeIndex{pr.plan.entry: NoNode}
	queue := []NodeIndex{pr.plan.entry}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		if i == n {
			var path []string
			for ; i != NoNode; i = from[i] {
				path = append([]string{pr.plan.nodes[i].id}, path...)
			}
			return path
		}
		for _, to := range pr.next[i] {
			if _, seen := from[to]; !seen && to != m && to != NoNode {
				from[to] = i
				queue = append(queue, to)
			}
		}
	}
	return nil
}
