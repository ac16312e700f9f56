package search

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sync"
)

// options are what the evaluation takes apart: one measured choice a line.
type options struct {
	k1, b   float64
	weight  [fieldCount]float64
	oneLen  bool    // one length for the whole node instead of one a field
	classes float64 // weight of a word of the same class; 0 is off
	correct float64 // weight of a corrected word; 0 is off
	plain   bool    // leave everyday words uncorrected
	joins   bool    // find words written together or apart
	joined  float64 // weight of two words written as one
	names   float64 // weight of the words of the name; 0 is off
	order   float64 // weight of words side by side; 0 is off
	clauses float64 // weight of the best clause; 0 is off

	rest   float64 // weight of the other clauses where one is looked at; 0 looks at none
	asking float64 // weight of words that ask and do not say for what

	coordinate bool // count how much of the query matched
	fair       bool // let look-alikes take only some of the first places
	exact      bool // do not stem
	every      bool // keep stop words
}

var defaults = options{
	k1: 1.2, b: 0.75,
	weight: [fieldCount]float64{
		fieldName: 2, fieldDescription: 1, fieldIntents: 1,
		fieldParameters: .5, fieldParameterText: .5, fieldServer: .5, fieldOutput: .5,
	},
	classes: .25, correct: .75, plain: true, joins: true, fair: true,
	joined: joinedWeight, names: nameWeight, order: orderWeight, clauses: clauseWeight, coordinate: true,
	rest: restWeight, asking: askingWeight,
}

// analyzer is what reads text under these options.
func (o *options) analyzer() *analyzer {
	a := newAnalyzer()
	a.exact, a.every = o.exact, o.every
	return a
}

// idf is the information of a term that df of n nodes have (Robertson and
// Spärck Jones, in the form that is never negative).
func idf(n int, df uint32) float64 {
	return math.Log(1 + (max(0, float64(n)-float64(df))+.5)/(float64(df)+.5))
}

// A scorer holds what scoring nodes by one query needs.
type scorer struct {
	snap     *Snapshot
	plan     *plan
	variants []variant
	table    []uint16  // per term of the vocabulary: first variant + 1
	next     []uint16  // per variant: next variant of the same term + 1
	best     []float64 // per concept
	counts   []int32   // per term: nodes that have it
}

// idf is that of a term of the catalog.
func (sc *scorer) idf(term uint32) float64 {
	if int(term) >= len(sc.counts) {
		return 0
	}
	return idf(sc.snap.counted, uint32(max(0, sc.counts[term])))
}

var scorers = sync.Pool{New: func() any { return new(scorer) }}

func newScorer(s *Snapshot, q *plan) *scorer {
	sc := scorers.Get().(*scorer)
	sc.snap, sc.plan, sc.variants, sc.counts = s, q, q.variants, s.counts()
	if n := s.words.len(); cap(sc.table) < n {
		sc.table = make([]uint16, n+n/4)
	}
	sc.table = sc.table[:cap(sc.table)]
	sc.next = sc.next[:0]
	for i, v := range q.variants {
		sc.next = append(sc.next, sc.table[v.term.id])
		sc.table[v.term.id] = uint16(i + 1)
	}
	sc.best = slices.Grow(sc.best[:0], len(q.concepts))[:len(q.concepts)]
	return sc
}

func (sc *scorer) free() {
	for _, v := range sc.variants {
		sc.table[v.term.id] = 0
	}
	sc.snap, sc.plan, sc.variants, sc.counts = nil, nil, nil, nil
	scorers.Put(sc)
}

// score is the BM25F score of one node, that of its best clause, and the concepts it
// matches.
func (sc *scorer) score(sl *segment, node int) (parts Parts, matches uint64) {
	var matched uint64
	var norm [fieldCount]float64 // of the fields met so far
	opt := &sc.snap.opt
	for _, p := range sl.of(node) {
		i := sc.table[p.term]
		if i == 0 {
			continue
		}
		if matched == 0 {
			clear(sc.best)
		}
		var tf float64
		for all := binary.LittleEndian.Uint64(p.tf[:]); all != 0; {
			f := bits.TrailingZeros64(all) / 8
			if norm[f] == 0 {
				norm[f] = sc.norm(field(f), &sl.lens[node])
			}
			tf += float64(p.tf[f]) * norm[f]
			all &^= 0xff << (8 * f)
		}
		part := tf * (opt.k1 + 1) / (opt.k1 + tf)
		for ; i != 0; i = sc.next[i-1] {
			v := &sc.variants[i-1]
			matched |= 1 << v.concept
			sc.best[v.concept] = max(sc.best[v.concept], v.gain*part)
		}
	}
	if matched == 0 {
		return parts, 0
	}
	for i, g := range sc.best {
		parts.Words += g * sc.plan.concepts[i].rank
	}
	parts.covered = sc.plan.covered(func(i int) float64 { return sc.best[i] })
	parts.Words *= sl.favour[node]
	for _, clause := range sc.plan.clauses {
		sum := 0.0
		for all := clause & matched; all != 0; all &= all - 1 {
			i := bits.TrailingZeros64(all)
			sum += sc.best[i] * sc.plan.concepts[i].rank
		}
		parts.Clause = max(parts.Clause, sum*sl.favour[node])
	}
	return parts, matched
}

// norm is what one occurrence in a field of a node counts.
func (sc *scorer) norm(f field, lens *[fieldCount]uint16) float64 {
	opt := &sc.snap.opt
	if opt.oneLen {
		var length, mean float64
		for f, n := range lens {
			length += opt.weight[f] * float64(n)
			mean += opt.weight[f] * sc.snap.mean[f]
		}
		return opt.weight[f] / (1 - opt.b + opt.b*length/max(mean, 1e-9))
	}
	// A text of stop words only has no length, nor has a catalog of such texts.
	return opt.weight[f] / (1 - opt.b + opt.b*max(1, float64(lens[f]))/max(1, sc.snap.typical[f]))
}
