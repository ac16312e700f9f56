package search

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
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
	for f, form := range forms {
		w, own := diag.NewWord(form), shapeOf(form)
		most := allowedEdits(w.Len())
		if most == 0 {
			continue
		}
		for _, spelled := range s.spellings() {
			t, shape := spelled.term, spelled.shapes[f]
			if !own.near(shape, most) {
				continue
			}
			candidate := t.text
			if f == 1 {
				candidate = t.surface
			}
			d := w.Distance(candidate, most)
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
		list = append(list, correction{t, d, s.df(t.id)})
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

// A spelling is a term that some node has, with the shapes of its text and of its surface.
type spelling struct {
	term   *term
	shapes [2]shape
}

// readSpellings returns those that a search corrects words by.
func (s *Snapshot) readSpellings() []spelling {
	var list []spelling
	for _, t := range s.words.terms() {
		if s.df(t.id) > 0 {
			list = append(list, spelling{t, [2]shape{shapeOf(t.text), shapeOf(t.surface)}})
		}
	}
	return list
}

// A shape spares most pairs of words the comparison.
type shape struct {
	letters uint64
	runes   int
}

func shapeOf(text string) shape { return shape{letters(text), utf8.RuneCountInString(text)} }

// near reports whether two words may be that many edits apart.
func (a shape) near(b shape, most int) bool {
	return a.runes-b.runes <= most && b.runes-a.runes <= most && bits.OnesCount64(a.letters^b.letters) <= 2*most
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
		w := diag.NewWord(c.word)
		most := max(2, w.Len()/2)
		for _, t := range s.words.terms() {
			n := len(t.surface)
			if n < 3 {
				continue
			}
			d := w.Distance(t.surface, most)
			if strings.HasPrefix(t.surface, c.word) || strings.HasPrefix(c.word, t.surface) {
				d = min(d, 2)
			}
			if d <= most && s.df(t.id) > 0 {
				list = append(list, near{t.surface, float64(d) / float64(w.Len())})
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
