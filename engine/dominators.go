package engine

import "slices"

// dominators returns the immediate dominator of each node: the last that is on every
// path from the entry to it; -1 for the entry and for what is unreachable. It is the
// algorithm of Lengauer and Tarjan (A Fast Algorithm for Finding Dominators in a
// Flowgraph, 1979) with path compression: the time is that of the edges times the
// logarithm of the nodes.
func dominators(next [][]NodeIndex, entry NodeIndex) []int {
	t := newSpanningTree(next, entry)
	count := len(t.nodes)
	idom := make([]int32, count)
	waiting, after := filled(count, -1), make([]int32, count) // lists of the nodes of a semidominator
	for w := int32(count) - 1; w > 0; w-- {
		for _, v := range t.before.of(w) {
			t.semi[w] = min(t.semi[w], t.semi[t.least(v)])
		}
		after[w], waiting[t.semi[w]] = waiting[t.semi[w]], w
		up := t.parent[w]
		t.linked[w] = up
		for v := waiting[up]; v >= 0; v = after[v] {
			idom[v] = up
			if u := t.least(v); t.semi[u] < t.semi[v] {
				idom[v] = u
			}
		}
		waiting[up] = -1
	}
	out := make([]int, len(next))
	for i := range out {
		out[i] = -1
	}
	for w := 1; w < count; w++ {
		if idom[w] != t.semi[w] {
			idom[w] = idom[idom[w]]
		}
		out[t.nodes[w]] = int(t.nodes[idom[w]])
	}
	return out
}

// A spanningTree is the nodes that can be reached, by their numbers in the order in
// which a depth-first search meets them.
type spanningTree struct {
	nodes  []NodeIndex
	parent []int32
	before *sources

	semi   []int32 // the semidominator, as far as it is known
	linked []int32 // an ancestor in the forest of the nodes that are done; -1 for a root
	label  []int32 // the node with the least semidominator between it and that ancestor
	path   []int32 // of least, kept for its memory
}

func newSpanningTree(next [][]NodeIndex, entry NodeIndex) *spanningTree {
	type frame struct {
		at   int32
		edge int
	}
	t := &spanningTree{nodes: make([]NodeIndex, 0, len(next)), parent: make([]int32, 0, len(next))}
	number := filled(len(next), -1)
	visit := func(i NodeIndex, parent int32) frame {
		at := int32(len(t.nodes))
		number[i] = at
		t.nodes, t.parent = append(t.nodes, i), append(t.parent, parent)
		return frame{at: at}
	}
	stack := []frame{visit(entry, -1)}
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		edges := next[t.nodes[f.at]]
		if f.edge == len(edges) {
			stack = stack[:len(stack)-1]
			continue
		}
		to := edges[f.edge]
		f.edge++
		if to != NoNode && number[to] < 0 {
			stack = append(stack, visit(to, f.at))
		}
	}
	t.before = newSources(len(t.nodes), func(yield func(from, to int32) bool) {
		for v, i := range t.nodes {
			for _, to := range next[i] {
				if to != NoNode && !yield(int32(v), number[to]) {
					return
				}
			}
		}
	})
	t.linked = filled(len(t.nodes), -1)
	t.semi = make([]int32, len(t.nodes))
	for v := range t.semi {
		t.semi[v] = int32(v)
	}
	t.label = slices.Clone(t.semi)
	return t
}

// least returns the node with the least semidominator on the way from v up to, and
// without, the root of its tree in the forest, and shortens that way.
func (t *spanningTree) least(v int32) int32 {
	if t.linked[v] < 0 {
		return v
	}
	t.path = t.path[:0]
	for u := v; t.linked[t.linked[u]] >= 0; u = t.linked[u] {
		t.path = append(t.path, u)
	}
	for _, u := range slices.Backward(t.path) {
		up := t.linked[u]
		if t.semi[t.label[up]] < t.semi[t.label[u]] {
			t.label[u] = t.label[up]
		}
		t.linked[u] = t.linked[up]
	}
	return t.label[v]
}

// filled returns n numbers that are all v.
func filled(n int, v int32) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = v
	}
	return out
}
