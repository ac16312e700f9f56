package search

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// A hit lists at most maxUnmatched words that it lacks. One that fits less than
// unmatchedFit lists none: it lacks most of the query.
const (
	maxUnmatched = 5
	unmatchedFit = .2
)

// fit is how well a node fits the whole query, 0..1: the share of the query's idf that
// the node has, half of it for the share of the node's name that the query has.
func (m match) fit() float64 {
	if m.exact {
		return 1
	}
	return m.parts.covered * (1 + m.parts.named) / 2
}

// confidence is how likely the first of the matches, which are sorted, is what the query
// asks for. The coefficients are a logistic regression over seven sets of requests and
// 60 short queries, each also asked of catalogs without the tools that answer it.
func (q *plan) confidence(found []match) float64 {
	if len(found) == 0 {
		return 0
	}
	first, margin := found[0], 1.
	for _, other := range found[1:] {
		if !alike(first, other) { // the lead over variants says nothing
			margin = (first.score - other.score) / first.score
			break
		}
	}
	words := float64(max(1, bits.OnesCount64(q.need)))
	return 1 / (1 + math.Exp(6.03-3.10*first.parts.covered-1.36*first.parts.named-3.22*margin-1.07*math.Log(words)))
}

// A page is unsure below this confidence, if its first hit fits less than unsureFit and
// lacks a word, or less than unsureWhole. docs/measured/search.md has how often that is so.
const (
	unsureConfidence = .2
	unsureFit        = .5
	unsureWhole      = .25
)

// Unsure reports whether it is likely that no node does what was asked for. It is for a
// first page, and false with candidates by meaning.
func (r *Results) Unsure() bool {
	if r.Confidence == 0 || r.Confidence >= unsureConfidence {
		return false
	}
	first := r.Hits[0]
	return first.Score < unsureWhole || first.Score < unsureFit && len(first.Unmatched) > 0
}

// unmatched is the most telling words of the query that a node lacks, as they were typed,
// in the order of the query.
func (q *plan) unmatched(matched uint64) []string {
	var lacks []concept
	for i, c := range q.concepts {
		if (q.need&^matched)&(1<<i) != 0 {
			lacks = append(lacks, c)
		}
	}
	slices.SortStableFunc(lacks, func(a, b concept) int { return cmp.Compare(b.idf*b.weight, a.idf*a.weight) })
	lacks = lacks[:min(len(lacks), maxUnmatched)]
	slices.SortFunc(lacks, func(a, b concept) int { return cmp.Compare(a.at, b.at) })
	var words []string
	for _, c := range lacks {
		words = append(words, c.word)
	}
	return words
}
