package search

import (
	"slices"
	"unicode/utf8"
)

const (
	minPiece  = 3  // letters of a piece of a split word, but for stop words
	maxPieces = 6  // of a split word
	maxSplit  = 48 // letters of a word that is split
)

// split is the words of the catalog that a word which no node has consists of, as few
// as possible, or nil. A slip of the pen is not split.
func (s *Snapshot) split(a *analyzer, word string) []string {
	n := len(word)
	if s.opt.correct == 0 || n < 2*minPiece || n > maxSplit || !isPlain(word) {
		return nil
	}
	// best[i] is the least cost of word[:i], from[i] where its last piece begins.
	best, from := make([]int, n+1), make([]int, n+1)
	const whole, small, none = 2, 3, 1 << 20
	for end := 1; end <= n; end++ {
		best[end] = none
		for start := range end {
			if best[start] >= none {
				continue
			}
			cost := none
			switch piece := word[start:end]; {
			case stopWords[piece]:
				cost = small
			case len(piece) >= minPiece && s.writes(a, piece):
				cost = whole
			}
			if c := best[start] + cost; c < best[end] {
				best[end], from[end] = c, start
			}
		}
	}
	if best[n] >= none || best[n] > whole*maxPieces {
		return nil
	}
	var pieces []string
	telling := 0
	for end := n; end > 0; end = from[end] {
		piece := word[from[end]:end]
		pieces = append([]string{piece}, pieces...)
		if !stopWords[piece] {
			telling++
		}
	}
	if telling < 2 && len(pieces) > 2 || telling == 0 {
		return nil
	}
	if list := s.corrections(word, a.stem(word)); len(list) > 0 && list[0].edits == 1 {
		return nil
	}
	return pieces
}

// writes reports whether some node has a word.
func (s *Snapshot) writes(a *analyzer, word string) bool {
	have, _ := s.term(a.stem(word))
	return have != nil
}

func startsCJK(term string) bool {
	first, _ := utf8.DecodeRuneInString(term)
	return isCJK(first)
}

// termClasses is the terms of the classes that a term is in, without itself.
func (s *Snapshot) termClasses(term string) []string {
	if s.opt.classes == 0 {
		return nil
	}
	list := classes(s.opt.exact)[term]
	if s.synonyms != nil {
		list = slices.Concat(s.synonyms.of[term], list)
	}
	return list
}
