package engine

import "iter"

// sources are the edges of a graph by where they lead.
type sources struct {
	first []int32 // by node, and behind the last: its first place in from
	from  []int32
}

// newSources sorts edges, which it asks for twice, into n nodes. Those into one node
// keep their order.
func newSources(n int, edges iter.Seq2[int32, int32]) *sources {
	s := &sources{first: make([]int32, n+2)}
	for _, to := range edges {
		s.first[to+2]++
	}
	for i := range n {
		s.first[i+2] += s.first[i+1]
	}
	s.from = make([]int32, s.first[n+1])
	for from, to := range edges {
		s.from[s.first[to+1]] = from
		s.first[to+1]++
	}
	return s
}

// of returns where the edges to a node come from, a node for each edge.
func (s *sources) of(to int32) []int32 { return s.from[s.first[to]:s.first[to+1]] }
