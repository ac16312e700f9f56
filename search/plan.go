package search

import (
	"cmp"
	"math/bits"
	"slices"
)

// maxConcepts bounds the words of a query that are looked for: the most telling
// ones stay. It fits the bits of match.matched.
const maxConcepts = 64

// A concept is one word of the query and what may stand for it.
type concept struct {
	word  string // as typed, folded
	term  string
	idf   float64
	known bool // some node has the term itself
	at    int  // place in the query
}

// A plan is a query, ready for one snapshot.
type plan struct {
	concepts  []concept
	variants  []variant
	corrected map[string]string
	mass      float64 // idf of all concepts
}

func (s *Snapshot) df(term string) uint32 {
	var n uint32
	for _, sl := range s.slices {
		if i, ok := sl.dict[term]; ok {
			n += sl.df[i]
		}
	}
	return n
}

// surface is a term as some node writes it.
func (s *Snapshot) surface(term string) string {
	for _, sl := range s.slices {
		if i, ok := sl.dict[term]; ok {
			return sl.surface[i]
		}
	}
	return term
}

// plan reads a query's words, in any order and number.
func (s *Snapshot) plan(text string) *plan {
	q := &plan{}
	seen := map[string]bool{}
	newAnalyzer().words(text, func(t token) {
		if seen[t.term] {
			return
		}
		seen[t.term] = true
		df := s.df(t.term)
		if t.joined && df == 0 {
			return // its parts follow
		}
		q.concepts = append(q.concepts, concept{word: t.surface, term: t.term, idf: idf(s.nodes, df), known: df > 0, at: len(q.concepts)})
	})
	q.trim()
	for i, c := range q.concepts {
		q.mass += c.idf
		if c.known {
			q.variants = append(q.variants, variant{c.term, i, c.idf})
		}
	}
	return q
}

// trim keeps the words that some node has, the rarest first, then the unknown
// ones in the order typed.
func (q *plan) trim() {
	if len(q.concepts) <= maxConcepts {
		return
	}
	slices.SortStableFunc(q.concepts, func(a, b concept) int {
		if a.known != b.known {
			if a.known {
				return -1
			}
			return 1
		}
		if a.known {
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
func (q *plan) complete(matched uint64) bool { return bits.OnesCount64(matched) == len(q.concepts) }
