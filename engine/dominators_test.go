package engine

import (
	"math/rand/v2"
	"testing"
)

// TestDominators compares the dominators of random graphs with what removing a node
// leaves unreachable.
func TestDominators(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // to be repeated
	for range 500 {
		n := 2 + r.IntN(14)
		next := make([][]NodeIndex, n)
		for range r.IntN(3 * n) {
			from, to := r.IntN(n), NodeIndex(r.IntN(n+1))
			if int(to) == n {
				to = NoNode
			}
			next[from] = append(next[from], to)
		}
		without := func(left NodeIndex) []bool {
			seen := make([]bool, n)
			queue := []NodeIndex{0}
			for len(queue) > 0 {
				i := queue[0]
				queue = queue[1:]
				if i == NoNode || i == left || seen[i] {
					continue
				}
				seen[i] = true
				queue = append(queue, next[i]...)
			}
			return seen
		}
		all, idom := without(-2), dominators(next, 0)
		for m := range n {
			rest := without(NodeIndex(m))
			for i := range n {
				dominates := all[i] && !rest[i]
				found := false
				for at := i; at >= 0 && all[i]; at = idom[at] {
					found = found || at == m
				}
				if dominates != found {
					t.Fatalf("%d dominates %d: %v, want %v, in %v with %v", m, i, found, dominates, next, idom)
				}
			}
		}
	}
}
