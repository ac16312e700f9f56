package search

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// A correction is a term of the index that an unknown word may have meant.
type correction struct {
	term  *term
	edits int
	df    uint32
}

// allowedEdits is how many edits a misspelling of n runes may be away: a short
// word has too many neighbours.
func allowedEdits(n int) int {
	switch {
	case n < 4:
		return 0
	case n < 8:
		return 1
	}
	return 2
}

// corrections are the terms of s nearest to a word that no node has: those
// with the fewest edits, at most three, the most frequent first. Both the word
// as typed and its stem may be near.
func (s *Snapshot) corrections(word, stem string) []correction {
	best := map[*term]int{}
	forms := []string{stem, word}
	if stem == word {
		forms = forms[:1]
	}
	all := s.words.terms()
	for f, form := range forms {
		w := newSpelling(form)
		most := allowedEdits(len(w.runes))
		if most == 0 {
			continue
		}
		for _, t := range all {
			candidate := t.text
			if f == 1 {
				candidate = t.surface
			} else if bits.OnesCount64(t.shape^w.shape) > 2*most {
				continue
			}
			d := w.distance(candidate, most)
			if d > most {
				continue
			}
			if have, ok := best[t]; !ok || d < have {
				best[t] = d
			}
		}
	}
	var list []correction
	for t, d := range best {
		if df := s.df(t.id); df > 0 {
			list = append(list, correction{t, d, df})
		}
	}
	slices.SortFunc(list, func(a, b correction) int {
		if a.edits != b.edits {
			return a.edits - b.edits
		}
		if a.df != b.df {
			return int(b.df) - int(a.df)
		}
		return strings.Compare(a.term.text, b.term.text)
	})
	list = slices.DeleteFunc(list, func(c correction) bool { return c.edits > list[0].edits })
	return list[:min(3, len(list))]
}

// nearest is up to eight words that nodes do have, for a query that finds
// nothing: those most like its words.
func (s *Snapshot) nearest(q *plan) []string {
	type near struct {
		word  string
		ratio float64
	}
	var list []near
	for _, c := range q.concepts[:min(len(q.concepts), 8)] {
		w := newSpelling(c.word)
		most := max(2, len(w.runes)/2)
		for _, t := range s.words.terms() {
			n := len(t.surface)
			if n < 3 {
				continue
			}
			d := w.distance(t.surface, most)
			if strings.HasPrefix(t.surface, c.word) || strings.HasPrefix(c.word, t.surface) {
				d = min(d, 2)
			}
			if d <= most && s.df(t.id) > 0 {
				list = append(list, near{t.surface, float64(d) / float64(len(w.runes))})
			}
		}
	}
	slices.SortFunc(list, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.ratio, b.ratio), strings.Compare(a.word, b.word))
	})
	var words []string
	for _, n := range list {
		if words = appendNew(words, n.word); len(words) == 8 {
			break
		}
	}
	return words
}

// A spelling is a word made ready to be compared with many terms.
type spelling struct {
	runes            []rune
	shape            uint64
	older, prev, cur []int
}

func newSpelling(word string) *spelling {
	return &spelling{runes: []rune(word), shape: letters(word)}
}

// distance is the number of insertions, deletions, substitutions and swaps of
// neighbours between the word and term, or most+1 when it is larger than most.
func (w *spelling) distance(term string, most int) int {
	x, y := w.runes, []rune(term)
	if len(x)-len(y) > most || len(y)-len(x) > most || len(x) == 0 || len(y) == 0 {
		return most + 1
	}
	n := len(y) + 1
	if cap(w.cur) < n {
		w.older, w.prev, w.cur = make([]int, 2*n), make([]int, 2*n), make([]int, 2*n)
	}
	older, prev, cur := w.older[:n], w.prev[:n], w.cur[:n]
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		cur[0] = i
		least := i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				cur[j] = min(cur[j], older[j-2]+1)
			}
			least = min(least, cur[j])
		}
		if least > most {
			return most + 1
		}
		older, prev, cur = prev, cur, older
	}
	return prev[len(y)]
}

// letters is the set of a term's letters and digits as bits: terms that are
// one edit apart differ in at most two of them.
func letters(term string) uint64 {
	var set uint64
	for _, r := range term {
		switch {
		case r >= 'a' && r <= 'z':
			set |= 1 << (r - 'a')
		case isDigit(r):
			set |= 1 << (26 + r - '0')
		default:
			set |= 1 << (36 + r%28)
		}
	}
	return set
}
