package search

import (
	"cmp"
	"slices"
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
	word  string // as typed, folded
	text  string // its term
	term  *term  // nil when no node has it
	idf   float64
	extra bool // restates other concepts as one word: a gain, but nothing that must match
	at    int  // place in the query
}

// A variant is a term that may replace a word of the query.
type variant struct {
	term    *term
	concept int
	gain    float64 // idf of the term times how sure the variant is
}

// A plan is a query, ready for one snapshot.
type plan struct {
	concepts  []concept
	variants  []variant
	corrected map[string]string
	mass      float64 // idf of all concepts that are not extra
	need      uint64  // those concepts, as bits
}

// plan reads a query's words, in any order and number.
func (s *Snapshot) plan(text string) *plan {
	q := &plan{}
	type pair struct{ both, left, right string } // terms
	var pairs []pair
	seen := map[string]bool{}
	add := func(t token, have *term, df uint32, extra bool) {
		if !seen[t.term] {
			seen[t.term] = true
			q.concepts = append(q.concepts, concept{word: t.surface, text: t.term, term: have, idf: idf(s.counted, df), extra: extra, at: len(q.concepts)})
		}
	}
	a := s.opt.analyzer()
	var last token
	a.words(text, func(t token) {
		have, df := s.term(t.term)
		if !t.joined || have != nil { // the parts of an unknown joined word follow
			add(t, have, df, t.joined)
		}
		if !s.opt.joins || t.joined {
			return
		}
		if last.term != "" {
			word := last.surface + t.surface
			both := token{term: a.stem(word), surface: word}
			if have, df := s.term(both.term); have != nil {
				add(both, have, df, true)
				pairs = append(pairs, pair{both.term, last.term, t.term})
			}
		}
		last = t
	})
	q.trim()
	place := map[string]int{}
	for i, c := range q.concepts {
		place[c.text] = i
		if !c.extra {
			q.mass += c.idf
			q.need |= 1 << i
		}
		if c.term != nil {
			q.variants = append(q.variants, variant{c.term, i, c.idf})
		}
	}
	for _, p := range pairs {
		if i, ok := place[p.both]; ok {
			for _, part := range []string{p.left, p.right} {
				if j, ok := place[part]; ok {
					q.variants = append(q.variants, variant{q.concepts[i].term, j, q.concepts[i].idf / 2})
				}
			}
		}
	}
	s.widen(q)
	return q
}

// widen adds words of the same class, and corrections of words that nothing
// stands for.
func (s *Snapshot) widen(q *plan) {
	corrected := 0
	for i, c := range q.concepts {
		if s.opt.classes > 0 {
			for _, other := range classes(s.opt.exact)[c.text] {
				if have, df := s.term(other); have != nil {
					q.variants = append(q.variants, variant{have, i, s.opt.classes * min(c.idf, idf(s.counted, df))})
				}
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
		if q.corrected == nil {
			q.corrected = map[string]string{}
		}
		q.corrected[c.word] = list[0].term.surface
	}
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
