package search

import (
	"runtime"
)

const (
	// freshNodes and freshSegments are how much of a large catalog may be outside of
	// its base before it is merged into it. For a larger base it is an eighth of the
	// base, so that indexing a catalog server by server costs little more than indexing
	// it at once.
	freshNodes    = 2000
	freshSegments = 64
	freshShare    = 8
)

// A base is the segments of a large catalog that are merged: their sums, and
// bleve's index to find candidates without looking at every node. Like a segment it is immutable. The few segments that came after it
// are searched one by one.
type base struct {
	segments []*segment          // by number
	numbers  map[*segment]uint32 // in the store
	nodes    int
	df       []int32 // by term: nodes that have it
	view     *view
}

func (b *base) has(s *segment) bool {
	_, ok := b.numbers[s]
	return ok
}

// count adds a segment's frequencies, times by, to df.
func count(df []int32, s *segment, by int32) {
	for i, t := range s.terms {
		df[t] += by * int32(s.df[i])
	}
}

// Settle merges the segments outside of the base into it if there are many. Searches
// and changes continue meanwhile. It reports whether the index is settled: a catalog
// that bleve fails to index is not. All its nodes are scored then, which is slower
// and finds the same.
func (x *Index) Settle() bool {
	x.merging.Lock()
	defer x.merging.Unlock()
	for {
		now := x.Snapshot()
		if now.nodes < large {
			x.drop()
		}
		if now.Settled() {
			return true
		}
		var next *base
		if now.nodes >= large {
			var err error
			if next, err = x.merge(now); err != nil {
				x.drop()
				x.rebase(now, nil)
				return false
			}
		}
		x.rebase(now, next)
	}
}

// Settled reports whether [Index.Settle] would find nothing to do.
func (s *Snapshot) Settled() bool {
	if s.nodes < large {
		return s.base == nil
	}
	if s.base == nil {
		return false
	}
	nodes, count := countNodes(s.gone), len(s.fresh)+len(s.gone)
	for _, i := range s.fresh {
		nodes += len(s.segments[i].specs)
	}
	return nodes < max(freshNodes, s.base.nodes/freshShare) && count < max(freshSegments, len(s.base.segments)/freshShare)
}

// rebase puts the catalog, which may have changed since it was as in from, on
// another base. One whose vocabulary has been begun anew cannot use it.
func (x *Index) rebase(from *Snapshot, b *base) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if now := x.current.Load(); now.words == from.words {
		x.current.Store(newSnapshot(now.words, now.segments, b))
	}
}

// merge is the base of all segments of now.
func (x *Index) merge(now *Snapshot) (*base, error) {
	var old base
	if now.base != nil {
		old = *now.base
	}
	if x.store != nil && (now.base == nil || x.store.dead+countNodes(now.gone) > now.nodes) {
		x.drop() // of another vocabulary, or more dead than alive: begin anew
	}
	fresh := now.fresh
	gone := now.gone
	if x.store == nil {
		st, err := openStore()
		if err != nil {
			return nil, err
		}
		x.store = st
		x.release = runtime.AddCleanup(x, func(st *store) { st.close() }, st)
		old, gone, fresh = base{}, nil, nil
		for i := range now.segments {
			fresh = append(fresh, uint32(i))
		}
	}
	b := &base{numbers: make(map[*segment]uint32, len(now.segments)), nodes: now.nodes, segments: now.segments, df: make([]int32, now.words.len())}
	copy(b.df, old.df)
	for _, sl := range gone {
		count(b.df, sl, -1)
		if err := x.store.remove(sl, old.numbers[sl]); err != nil {
			return nil, err
		}
	}
	for _, sl := range now.segments {
		if n, ok := old.numbers[sl]; ok {
			b.numbers[sl] = n
		}
	}
	var added []*segment
	for _, i := range fresh {
		sl := now.segments[i]
		count(b.df, sl, 1)
		b.numbers[sl] = x.store.number()
		added = append(added, sl)
	}
	if err := x.store.add(added, b.numbers, now.words.terms()); err != nil {
		return nil, err
	}
	var err error
	b.view, err = x.store.view(b.numbers)
	return b, err
}

func (x *Index) drop() {
	if x.store != nil {
		x.release.Stop()
		x.store.close()
		x.store = nil
	}
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
	for _, f := range s.fresh {
		count(counts, s.segments[f], 1)
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
