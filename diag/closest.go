package diag

import (
	"slices"
	"strconv"
	"strings"
)

// Closest returns the candidate most like given, or "" when none is close
// enough: at most one edit per three runes (and at least one), where an edit is
// an insertion, deletion, substitution or transposition (optimal string
// alignment). A case-insensitive match wins outright; ties go to the first in
// sorted order.
func Closest(given string, candidates []string) string {
	if c := Closer(given, candidates, 1); len(c) > 0 {
		return c[0]
	}
	return ""
}

// Closer returns up to limit candidates close to given as [Closest] counts it,
// nearest first.
func Closer(given string, candidates []string, limit int) []string {
	type scored struct {
		name string
		dist int
	}
	most := max(1, len([]rune(given))/3)
	word := NewWord(strings.ToLower(given))
	var near []scored
	for _, c := range candidates {
		switch d := word.Distance(strings.ToLower(c), most); {
		case c == given:
			near = append(near, scored{c, -1})
		case d <= most:
			near = append(near, scored{c, d})
		}
	}
	slices.SortFunc(near, func(a, b scored) int {
		if a.dist != b.dist {
			return a.dist - b.dist
		}
		return strings.Compare(a.name, b.name)
	})
	near = slices.Compact(near)
	var names []string
	for _, s := range near[:min(limit, len(near))] {
		names = append(names, s.name)
	}
	return names
}

// Distance returns how far apart two names are as [Closest] counts it, capitals
// aside, or most+1 as soon as it is known to be larger than most.
func Distance(a, b string, most int) int {
	return NewWord(strings.ToLower(a)).Distance(strings.ToLower(b), most)
}

// OneOf lists names for a hint: sorted, quoted by nothing, at most limit of
// them and then how many more there are.
func OneOf(names []string, limit int) string {
	sorted := slices.Sorted(slices.Values(names))
	sorted = slices.Compact(sorted)
	if len(sorted) <= limit {
		return strings.Join(sorted, ", ")
	}
	return strings.Join(sorted[:limit], ", ") + " and " + strconv.Itoa(len(sorted)-limit) + " more"
}

// A Word is a text made ready to be compared with many others. It is not safe
// for concurrent use.
type Word struct {
	runes            []rune
	older, prev, cur []int
}

// NewWord makes a text ready.
func NewWord(text string) *Word { return &Word{runes: []rune(text)} }

// Len is the number of runes.
func (w *Word) Len() int { return len(w.runes) }

// Distance is the optimal string alignment distance to another text, capitals
// minded, or most+1 as soon as it is known to be larger than most.
func (w *Word) Distance(other string, most int) int {
	x, y := w.runes, []rune(other)
	if len(x)-len(y) > most || len(y)-len(x) > most {
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
