package search

const (
	// freshNodes and freshSegments are how much of a catalog may be in parts of its own
	// before it is merged. For a larger base it is an eighth of the base, so that indexing
	// a catalog server by server costs little more than indexing it at once.
	freshNodes    = 2000
	freshSegments = 24
	freshShare    = 8
	// maxParts is how many parts a base may have before it becomes one.
	maxParts = 32
)

// A base is the parts of several segments, and their sums. Like a segment it is
// immutable. The few segments that came after it are parts of their own.
type base struct {
	parts    []*part
	segments map[*segment]bool
	nodes    int     // of those, whether they are in the catalog or not
	df       []int32 // by term: nodes that have it
}

// count adds a segment's frequencies, times by, to df.
func count(df []int32, s *segment, by int32) {
	for i, t := range s.terms {
		df[t] += by * int32(s.df[i])
	}
}

// Settle merges the segments outside of the base into it if there are many. Searches
// and changes continue meanwhile. It reports whether the index is settled: a catalog
// that bleve fails to index is not.
func (x *Index) Settle() bool {
	x.merging.Lock()
	defer x.merging.Unlock()
	for {
		now := x.Snapshot()
		if now.Settled() {
			return true
		}
		next, err := now.merge()
		if err != nil {
			return false
		}
		x.rebase(now, next)
	}
}

// Settled reports whether [Index.Settle] would find nothing to do.
func (s *Snapshot) Settled() bool {
	nodes, segments, parts := 0, 0, 0
	if s.base != nil {
		nodes, segments, parts = s.base.nodes, len(s.base.segments), len(s.base.parts)
	}
	outside := 0
	for _, sl := range s.fresh {
		outside += len(sl.specs)
	}
	gone := countNodes(s.gone)
	return outside < max(freshNodes, nodes/freshShare) && len(s.fresh) < max(freshSegments, segments/freshShare) &&
		gone <= max(freshNodes, nodes/2) && len(s.gone) <= max(freshSegments, segments/2) && parts <= maxParts
}

// rebase puts the catalog, which may have changed since it was as in from, on
// another base. One whose vocabulary has been begun anew cannot use it.
func (x *Index) rebase(from *Snapshot, b *base) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if now := x.current.Load(); now.words == from.words {
		x.publish(newSnapshot(now.words, now.segments, b))
	}
}

// merge is the base of all segments: the parts of the old one and another for the
// segments beside it; or one part, if many of the old nodes have gone or it has too
// many parts.
func (s *Snapshot) merge() (*base, error) {
	b := &base{segments: make(map[*segment]bool, len(s.segments)), df: make([]int32, s.words.len())}
	list := s.fresh
	if old := s.base; old != nil {
		if len(old.parts) >= maxParts || 2*countNodes(s.gone) > old.nodes || 2*len(s.gone) > len(old.segments) {
			list = s.segments
		} else {
			b.parts, b.nodes = append(b.parts, old.parts...), old.nodes
			copy(b.df, old.df)
			for sl := range old.segments {
				b.segments[sl] = true
			}
		}
	}
	if len(list) == 0 {
		return b, nil
	}
	p, err := newPart(list, s.words)
	if err != nil {
		return nil, err
	}
	b.parts, b.nodes = append(b.parts, p), b.nodes+p.nodes
	for _, sl := range list {
		b.segments[sl] = true
		count(b.df, sl, 1)
		sl.forget()
	}
	return b, nil
}

// parts are those that hold the catalog.
func (s *Snapshot) parts() ([]*part, error) {
	var list []*part
	if s.base != nil {
		list = append(list, s.base.parts...)
	}
	for _, sl := range s.fresh {
		p, err := sl.part(s.words)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// dead says which segments of a part are no longer in the catalog, nil if all are.
func (s *Snapshot) dead(p *part) []bool {
	var list []bool
	for i, sl := range p.segments {
		if s.left[sl] {
			if list == nil {
				list = make([]bool, len(p.segments))
			}
			list[i] = true
		}
	}
	return list
}

func countNodes(list []*segment) int {
	n := 0
	for _, sl := range list {
		n += len(sl.specs)
	}
	return n
}

// df is how many nodes have a term.
func (s *Snapshot) df(id uint32) uint32 {
	if counts := s.counts(); int(id) < len(counts) {
		return uint32(max(0, counts[id]))
	}
	return 0
}

// countTerms counts the nodes that have each term.
func (s *Snapshot) countTerms() []int32 {
	counts := make([]int32, s.words.len())
	if s.base != nil {
		copy(counts, s.base.df)
		for _, sl := range s.gone {
			count(counts, sl, -1)
		}
	}
	for _, sl := range s.fresh {
		count(counts, sl, 1)
	}
	return counts
}

// term is the term of a text and how many nodes have it, or nil.
func (s *Snapshot) term(text string) (*term, uint32) {
	if t := s.words.lookup(text); t != nil {
		if df := s.df(t.id); df > 0 {
			return t, df
		}
	}
	return nil, 0
}
