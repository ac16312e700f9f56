package engine

// reach says which nodes can run after which others.
type reach struct {
	component []int      // of each node, -1 where it is unreachable
	after     [][]uint64 // by component: a bit for each node
}

func (r *reach) follows(m, n NodeIndex) bool {
	c := r.component[m]
	return c >= 0 && r.after[c][n/64]&(1<<(n%64)) != 0
}

// newReach computes the transitive closure of what follows each node: strongly
// connected components by the algorithm of Tarjan (Depth-first search and linear
// graph algorithms, 1972), and a set of bits for each: the union of
// those that come after it. That takes a word operation for each edge and 64 nodes.
func newReach(next [][]NodeIndex, order []NodeIndex) *reach {
	type frame struct {
		at   NodeIndex
		edge int
	}
	r := &reach{component: make([]int, len(next))}
	index, low := make([]int, len(next)), make([]int, len(next)) // index 0 is not visited
	for i := range r.component {
		r.component[i] = -1
	}
	var (
		count   int
		open    []NodeIndex // visited, and of no component yet
		frames  []frame
		members []NodeIndex
		words   = (len(next) + 63) / 64
	)
	visit := func(i NodeIndex) {
		count++
		index[i], low[i] = count, count
		open, frames = append(open, i), append(frames, frame{i, 0})
	}
	for _, root := range order {
		if index[root] > 0 {
			continue
		}
		visit(root)
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			if f.edge < len(next[f.at]) {
				to := next[f.at][f.edge]
				f.edge++
				switch {
				case to == NoNode:
				case index[to] == 0:
					visit(to)
				case r.component[to] < 0:
					low[f.at] = min(low[f.at], index[to])
				}
				continue
			}
			at := f.at
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				up := frames[len(frames)-1].at
				low[up] = min(low[up], low[at])
			}
			if low[at] != index[at] {
				continue
			}
			members = members[:0]
			for {
				last := open[len(open)-1]
				open = open[:len(open)-1]
				members = append(members, last)
				r.component[last] = len(r.after)
				if last == at {
					break
				}
			}
			r.add(members, next, words)
		}
	}
	return r
}

// add makes the set of the next component. All that it leads to have theirs.
func (r *reach) add(members []NodeIndex, next [][]NodeIndex, words int) {
	own := len(r.after)
	set := make([]uint64, words)
	joined := map[int]bool{}
	for _, i := range members {
		for _, to := range next[i] {
			if to == NoNode {
				continue
			}
			set[to/64] |= 1 << (to % 64)
			if c := r.component[to]; c != own && !joined[c] {
				joined[c] = true
				for w, bits := range r.after[c] {
					set[w] |= bits
				}
			}
		}
	}
	r.after = append(r.after, set)
}
