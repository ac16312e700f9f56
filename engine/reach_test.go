package engine

import (
	"math/rand/v2"
	"testing"
)

// TestReach compares with a search from each node, on random graphs with loops.
func TestReach(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7)) //nolint:gosec // to be repeated
	for range 200 {
		n := 1 + random.IntN(90)
		next, order := make([][]NodeIndex, n), make([]NodeIndex, n)
		for i := range next {
			order[i] = NodeIndex(i)
			for range random.IntN(3) {
				next[i] = append(next[i], NodeIndex(random.IntN(n+1)-1))
			}
		}
		r := newReach(next, order)
		for m := range next {
			seen := make([]bool, n)
			for queue := []NodeIndex{NodeIndex(m)}; len(queue) > 0; queue = queue[1:] {
				for _, to := range next[queue[0]] {
					if to != NoNode && !seen[to] {
						seen[to] = true
						queue = append(queue, to)
					}
				}
			}
			for k := range seen {
				if got := r.follows(NodeIndex(m), NodeIndex(k)); got != seen[k] {
					t.Fatalf("%v: whether %d follows %d: %v", next, k, m, got)
				}
			}
		}
	}
}
