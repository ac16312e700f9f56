package search

import (
	"runtime"
	"slices"
)

const (
	// freshNodes and freshSlices are how much of a large catalog may stand
	// beside its base before it is merged into it; a larger base lets an eighth
	// of itself stand there, so that indexing a catalog server by server costs
	// little more than indexing it at once.
	freshNodes  = 2000
	freshSlices = 64
	freshShare  = 8
)

// A base is the slices of a large catalog that are merged: one dictionary
// instead of one a slice, and bleve's index to find candidates without looking
// at every node. Like a slice it is immutable. The few slices that came after it
// are searched one by one.
type base struct {
	slices  []*slice          // by number
	numbers map[*slice]uint32 // in the store
	nodes   int
	dict    dictionary
	view    *view
}

func (b *base) has(s *slice) bool {
	_, ok := b.numbers[s]
	return ok
}

// A dictionary is the terms of several slices.
type dictionary struct {
	at      map[string]uint32
	terms   []string
	surface []string
	shape   []uint64
	df      []int32
}

// clone copies what add and remove change. Entries whose last node is gone stay
// with a frequency of 0.
func (d *dictionary) clone() dictionary {
	c := dictionary{at: make(map[string]uint32, len(d.at)), terms: slices.Clone(d.terms), surface: slices.Clone(d.surface), shape: slices.Clone(d.shape), df: slices.Clone(d.df)}
	for t, i := range d.at {
		c.at[t] = i
	}
	return c
}

func (d *dictionary) add(s *slice) {
	for i, t := range s.terms {
		n, ok := d.at[t]
		if !ok {
			n = uint32(len(d.terms))
			d.at[t] = n
			d.terms = append(d.terms, t)
			d.surface = append(d.surface, s.surface[i])
			d.shape = append(d.shape, s.shape[i])
			d.df = append(d.df, 0)
		}
		d.df[n] += int32(s.df[i])
	}
}

func (d *dictionary) remove(s *slice) {
	for i, t := range s.terms {
		d.df[d.at[t]] -= int32(s.df[i])
	}
}

// settle merges what stands beside the base into it when that is much, and
// publishes the result. A catalog that bleve fails to index stays as it is: every
// node of it is scored, which is slower and finds the same.
func (x *Index) settle(now *Snapshot) {
	if now.nodes < large {
		if x.store != nil {
			x.drop()
			x.current.Store(newSnapshot(now.slices, nil))
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
		x.current.Store(newSnapshot(now.slices, nil))
		return
	}
	x.current.Store(newSnapshot(now.slices, next))
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
	b := &base{numbers: make(map[*slice]uint32, len(now.slices)), nodes: now.nodes, slices: now.slices, dict: old.dict.clone()}
	for _, sl := range gone {
		b.dict.remove(sl)
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
		b.dict.add(sl)
		b.numbers[sl] = x.store.number()
		added = append(added, sl)
	}
	if err := x.store.add(added, b.numbers); err != nil {
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
func (s *Snapshot) df(term string) uint32 {
	n := int32(0)
	if s.base != nil {
		if i, ok := s.base.dict.at[term]; ok {
			n = s.base.dict.df[i]
		}
		for _, sl := range s.gone {
			if i, ok := sl.dict[term]; ok {
				n -= int32(sl.df[i])
			}
		}
	}
	for _, f := range s.fresh {
		sl := s.slices[f]
		if i, ok := sl.dict[term]; ok {
			n += int32(sl.df[i])
		}
	}
	return uint32(max(0, n))
}

// surface is a term as some node writes it.
func (s *Snapshot) surface(term string) string {
	if s.base != nil {
		if i, ok := s.base.dict.at[term]; ok {
			return s.base.dict.surface[i]
		}
	}
	for _, f := range s.fresh {
		if i, ok := s.slices[f].dict[term]; ok {
			return s.slices[f].surface[i]
		}
	}
	return term
}

// eachTerm calls yield with the terms of the catalog, a part at a time. A term
// may come more than once, and one may come that no node has any more.
func (s *Snapshot) eachTerm(yield func(terms, surface []string, shape []uint64)) {
	if s.base != nil {
		yield(s.base.dict.terms, s.base.dict.surface, s.base.dict.shape)
	}
	for _, f := range s.fresh {
		sl := s.slices[f]
		yield(sl.terms, sl.surface, sl.shape)
	}
}
