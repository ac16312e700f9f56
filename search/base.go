package search

const (
	// freshNodes and freshSegments are how much of a catalog may be outside of its base
	// before there is another. For a larger base it is an eighth of the base, so that
	// indexing a catalog server by server costs little more than indexing it at once.
	freshNodes    = 2000
	freshSegments = 24
	freshShare    = 8
)

// A base has the postings of several segments by term: which of their nodes have it, and how
// often. It is immutable, and made of their postings by node. What came after it is few nodes,
// whose postings are read one by one.
type base struct {
	list     []*segment
	segments map[*segment]bool // the same
	places   []place           // of its nodes
	sizes    []float32         // how many terms each of them has
	end      []uint32          // by term: where its postings end, which is where those of the next begin
	nodes    []uint32          // by posting
	times    []uint8           // by posting
}

// A place says which node of a base one is.
type place struct{ segment, node uint32 }

// newBase returns the base of segments with so many terms.
func newBase(list []*segment, terms int) *base {
	b := &base{list: list, segments: make(map[*segment]bool, len(list)), end: make([]uint32, terms)}
	for _, sl := range list {
		b.segments[sl] = true
		for i, t := range sl.terms {
			b.end[t] += sl.df[i]
		}
	}
	sum := uint32(0)
	for t, n := range b.end { // for now where its postings begin
		b.end[t], sum = sum, sum+n
	}
	b.nodes, b.times = make([]uint32, sum), make([]uint8, sum)
	all := countNodes(list)
	b.places, b.sizes = make([]place, 0, all), make([]float32, 0, all)
	for number, sl := range list {
		for n := range sl.specs {
			for _, p := range sl.of(n) {
				at := b.end[p.term]
				b.end[p.term]++
				b.nodes[at], b.times[at] = uint32(len(b.places)), uint8(min(p.times(), 255))
			}
			b.places, b.sizes = append(b.places, place{uint32(number), uint32(n)}), append(b.sizes, sl.size(n))
		}
	}
	return b
}

// of is where the postings of a term are.
func (b *base) of(term uint32) (from, to uint32) {
	if int(term) >= len(b.end) {
		return 0, 0
	}
	if term > 0 {
		from = b.end[term-1]
	}
	return from, b.end[term]
}

// Settle makes a base of all segments if many are outside of the present one. Searches and
// changes continue meanwhile.
func (x *Index) Settle() {
	x.merging.Lock()
	defer x.merging.Unlock()
	for now := x.Snapshot(); !now.Settled(); now = x.Snapshot() {
		x.rebase(now, newBase(now.segments, now.words.len()))
	}
}

// Settled reports whether [Index.Settle] would find nothing to do.
func (s *Snapshot) Settled() bool {
	nodes, segments := 0, 0
	if s.base != nil {
		nodes, segments = len(s.base.places), len(s.base.list)
	}
	return countNodes(s.fresh) < max(freshNodes, nodes/freshShare) && len(s.fresh) < max(freshSegments, segments/freshShare) &&
		countNodes(s.gone) <= max(freshNodes, nodes/2) && len(s.gone) <= max(freshSegments, segments/2)
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
		for t := range s.base.end {
			from, to := s.base.of(uint32(t))
			counts[t] = int32(to - from)
		}
	}
	count := func(list []*segment, by int32) {
		for _, sl := range list {
			for i, t := range sl.terms {
				counts[t] += by * int32(sl.df[i])
			}
		}
	}
	count(s.gone, -1)
	count(s.fresh, 1)
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
