package engine

import (
	"iter"
	"slices"
)

// sources are the edges of a graph by where they lead.
type sources struct {
	first []int32 // by node, and after the last: its first place in from
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

// paths are paths into a value, sorted.
type paths [][]string

// newPaths sorts paths in place.
func newPaths(all [][]string) paths {
	slices.SortFunc(all, slices.Compare[[]string])
	return all
}

// holder returns the shortest of the paths that is that of a value or of what holds
// the value.
func (p paths) holder(path []string) (found []string, ok bool) {
	for n := range len(path) + 1 {
		if _, ok := slices.BinarySearchFunc(p, path[:n], slices.Compare[[]string]); ok {
			return path[:n], true
		}
	}
	return nil, false
}

// hold reports whether one of the paths is that of a value or of what holds it.
func (p paths) hold(path []string) bool {
	_, ok := p.holder(path)
	return ok
}

// inside reports whether one of the paths is that of a value or of what is in it.
func (p paths) inside(path []string) bool {
	i, _ := slices.BinarySearchFunc(p, path, slices.Compare[[]string])
	return i < len(p) && len(path) <= len(p[i]) && slices.Equal(path, p[i][:len(path)])
}
