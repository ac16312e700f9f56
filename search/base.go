package search

import "runtime"

const (
	// freshNodes and freshSlices are how much of a large catalog may stand
	// beside its base before it is merged into it; a larger base lets an eighth
	// of itself stand there, so that indexing a catalog server by server costs
	// little more than indexing it at once.
	freshNodes  = 2000
	freshSlices = 64
	freshShare  = 8
)

// A base is the slices of a large catalog that are merged: their sums, and
// bleve's index to find candidates without looking at every node. Like a slice it is immutable. The few slices that came after it
// are searched one by one.
type base struct {
	slices  []*slice          // by number
	numbers map[*slice]uint32 // in the store
	nodes   int
	df      []int32 // by term: nodes that have it
	view    *view
}

func (b *base) has(s *slice) bool {
	_, ok := b.numbers[s]
	return ok
}

// count adds a slice's frequencies, times by, to df.
func count(df []int32, s *slice, by int32) {
	for i, t := range s.terms {
		df[t] += by * int32(s.df[i])
	}
}

// settle merges what stands beside the base into it when that is much, and
// publishes the result. A catalog that bleve fails to index stays as it is: every
// node of it is scored, which is slower and finds the same.
func (x *Index) settle(now *Snapshot) {
	if now.nodes < large {
		if x.store != nil {
			x.drop()
			x.current.Store(newSnapshot(x.words, now.slices, nil))
		}
		return
	}
	nodes, count := 0, len(now.fresh)+len(now.gone)
	for _, i := range now.fresh {
		nodes += len(now.slices[i].specs)
	}
	for _, sl := range now.gone {
		nodes += len(sl.specs)
	}
	var b base
	if now.base != nil {
		b = *now.base
		if nodes < max(freshNodes, b.nodes/freshShare) && count < max(freshSlices, len(b.slices)/freshShare) {
			return
		}
	}
	next, err := x.merge(now, b)
	if err != nil {
		x.drop()
		x.current.Store(newSnapshot(x.words, now.slices, nil))
		return
	}
	x.current.Store(newSnapshot(x.words, now.slices, next))
}

// merge is the base of all slices of now.
func (x *Index) merge(now *Snapshot, old base) (*base, error) {
	if x.store != nil && x.store.dead+countNodes(now.gone) > now.nodes {
		x.drop() // more dead than alive: begin anew
		old = base{}
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
		for i := range now.slices {
			fresh = append(fresh, uint32(i))
		}
	}
	b := &base{numbers: make(map[*slice]uint32, len(now.slices)), nodes: now.nodes, slices: now.slices, df: make([]int32, x.words.len())}
	copy(b.df, old.df)
	for _, sl := range gone {
		count(b.df, sl, -1)
		if err := x.store.remove(sl, old.numbers[sl]); err != nil {
			return nil, err
		}
	}
	for _, sl := range now.slices {
		if n, ok := old.numbers[sl]; ok {
			b.numbers[sl] = n
		}
	}
	var added []*slice
	for _, i := range fresh {
		sl := now.slices[i]
		count(b.df, sl, 1)
		b.numbers[sl] = x.store.number()
		added = append(added, sl)
	}
	if err := x.store.add(added, b.numbers, x.words.terms()); err != nil {
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

func countNodes(list []*slice) int {
	n := 0
	for _, sl := range list {
		n += len(sl.specs)
	}
	return n
}

// df is how many nodes have a term.
func (s *Snapshot) df(id uint32) uint32 {
	n := int32(0)
	if s.base != nil && int(id) < len(s.base.df) {
		n = s.base.df[id]
		for _, sl := range s.gone {
			n -= int32(sl.has(id))
		}
	}
	for _, f := range s.fresh {
		n += int32(s.slices[f].has(id))
	}
	return uint32(max(0, n))
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
