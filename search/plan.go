package search

import (
	"cmp"
	"slices"
	"strings"
)

const (
	// maxConcepts bounds the words of a query that are looked for: the most
	// telling ones stay. It fits the bits of match.matched.
	maxConcepts = 64
	// maxCorrections bounds the words of a query that are corrected.
	maxCorrections = 24
)

// A concept is one word of the query and the terms that may replace it.
type concept struct {
	word   string // as typed, folded
	text   string // its term
	term   *term  // nil when no node has it
	idf    float64
	weight float64 // of a match, 1 for a word as typed
	extra  bool    // restates other concepts as one word: a gain, but nothing that must match
	rank   float64 // factor of the weight in the ranking
	at     int     // place in the query
	in     uint64  // clauses that have it, as bits
}

// A variant is a term that may replace a word of the query.
type variant struct {
	term    *term
	concept int
	gain    float64 // idf of the term times how sure the variant is
}

// A neighbour is two words that stand side by side in the query.
type neighbour struct {
	left, right uint32
	idf         float64 // the mean of both
}

// A plan is a query, ready for one snapshot.
type plan struct {
	concepts   []concept
	variants   []variant
	corrected  map[string]string
	called     uint64      // fingerprint of the whole query as a name
	clauses    []uint64    // concepts by clause, as bits; none in a short query
	has        []uint32    // terms of the query, as typed or corrected
	neighbours []neighbour // of those
	mass       float64     // idf of all concepts that are not extra
	need       uint64      // those concepts, as bits
}

// plan reads a query's words, in any order and number.
func (s *Snapshot) plan(text string) *plan {
	r := s.read(text)
	q := &plan{called: calling(text), concepts: r.concepts}
	q.trim()
	place := map[string]int{}
	for i, c := range q.concepts {
		place[c.text] = i
		if !c.extra {
			q.mass += c.idf * c.weight
			q.need |= 1 << i
		}
		if c.term != nil {
			q.variants = append(q.variants, variant{c.term, i, c.idf * c.weight})
			q.has = append(q.has, c.term.id)
		}
	}
	for _, p := range r.joins {
		if i, ok := place[p.both]; ok {
			for _, part := range []string{p.left, p.right} {
				if j, ok := place[part]; ok {
					q.variants = append(q.variants, variant{q.concepts[i].term, j, q.concepts[i].idf / 2})
				}
			}
		}
	}
	fixes := s.widen(q)
	s.opt.weigh(q)
	for _, n := range r.neighbours {
		i, known := place[n[0]]
		j, both := place[n[1]]
		left, right := fixes[i], fixes[j]
		if known && both && left != nil && right != nil && len(q.neighbours) < 64 {
			q.neighbours = append(q.neighbours, neighbour{left.id, right.id, (idf(s.counted, s.df(left.id)) + idf(s.counted, s.df(right.id))) / 2})
		}
	}
	if r.clauses > 1 {
		q.clauses = make([]uint64, min(r.clauses, 64))
		for i, c := range q.concepts {
			for k := range q.clauses {
				if c.in&(1<<k) != 0 {
					q.clauses[k] |= 1 << i
				}
			}
		}
	}
	return q
}

// weigh sets how much each word counts in the ranking.
func (o *options) weigh(q *plan) {
	for i := range q.concepts {
		c := &q.concepts[i]
		c.rank = 1
		if asking[c.word] {
			c.rank = o.asking
		}
	}
}

// asking are words of requests that say nothing of what is asked for.
var asking = wordSet("help tell give know provide information details use following want need looking please interested wondering trying able")

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

// widen adds words of the same class, and corrections of words that nothing stands
// for. It returns, by concept, the term that is meant: its own or the best correction.
func (s *Snapshot) widen(q *plan) []*term {
	meant := make([]*term, len(q.concepts))
	corrected := 0
	for i, c := range q.concepts {
		meant[i] = c.term
		for _, other := range s.termClasses(c.text) {
			if have, df := s.term(other); have != nil {
				q.variants = append(q.variants, variant{have, i, s.opt.classes * min(c.idf, idf(s.counted, df))})
			}
		}
		if c.term != nil || s.opt.correct == 0 || corrected == maxCorrections || s.opt.plain && isEnglish(c.text) {
			continue
		}
		corrected++
		list := s.corrections(c.word, c.text)
		if len(list) == 0 {
			continue
		}
		for _, fix := range list {
			q.variants = append(q.variants, variant{fix.term, i, s.opt.correct * idf(s.counted, fix.df)})
		}
		meant[i] = list[0].term
		q.has = append(q.has, meant[i].id)
		if q.corrected == nil {
			q.corrected = map[string]string{}
		}
		q.corrected[c.word] = list[0].term.surface
	}
	return meant
}

// trim keeps the words that some node has, the rarest first, then the unknown
// ones in the order typed.
func (q *plan) trim() {
	if len(q.concepts) <= maxConcepts {
		return
	}
	slices.SortStableFunc(q.concepts, func(a, b concept) int {
		if known := a.term != nil; known != (b.term != nil) {
			if known {
				return -1
			}
			return 1
		}
		if a.term != nil {
			if c := cmp.Compare(b.idf, a.idf); c != 0 {
				return c
			}
		}
		return cmp.Compare(a.at, b.at)
	})
	q.concepts = q.concepts[:maxConcepts]
	slices.SortFunc(q.concepts, func(a, b concept) int { return cmp.Compare(a.at, b.at) })
}

// complete reports whether matched names every concept.
func (q *plan) complete(matched uint64) bool { return matched&q.need == q.need }
