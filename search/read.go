package search

import "strings"

// A reading is what a query says, word by word.
type reading struct {
	snap  *Snapshot
	a     *analyzer
	stops bool // the query has nothing but stop words, so they count

	concepts   []concept
	place      map[string]int // in concepts, by term
	clauses    int
	joins      []join
	neighbours [][2]string // terms
	last       token       // the word before
}

// A join is two neighbours that some node writes as one word. All are terms.
type join struct{ both, left, right string }

// cjkWeight is that of Chinese, Japanese and Korean beside words in other scripts.
const cjkWeight = .5

// read reads a query. Stop words are left out unless there is nothing else.
func (s *Snapshot) read(text string) *reading {
	for _, stops := range []bool{false, true} {
		r := &reading{snap: s, a: s.opt.analyzer(), stops: stops, place: map[string]int{}}
		for _, clause := range clauses(text) {
			for word := range runs(withoutData(fold(clause)), isWord) {
				r.word(word)
			}
			r.clauses++
		}
		if len(r.concepts) > 0 || stops {
			r.weighScripts()
			return r
		}
	}
	return nil
}

// word reads a run of letters and digits. Capitals change nothing in a word that some
// node has; one that none has is split at them.
func (r *reading) word(word string) {
	lower := strings.ToLower(word)
	parts := splitIdentifier(nil, lower)
	if len(parts) > 1 {
		whole := token{term: r.a.stem(lower), surface: lower, joined: true}
		have, df := r.snap.term(whole.term)
		switch {
		case have != nil:
			r.add(whole, have, df, 1, true)
		case len(r.snap.termClasses(whole.term)) > 0: // k8s
			r.add(whole, nil, 0, 1, false)
			r.last = token{}
			return
		}
	}
	if cased := splitIdentifier(nil, word); len(cased) > len(parts) && !r.knows(lower) {
		parts = cased
	}
	for _, p := range parts {
		p = strings.ToLower(p)
		pieces := []string{p}
		if !r.knows(p) {
			if split := r.snap.split(r.a, p); split != nil {
				pieces = split
			}
		}
		for _, piece := range pieces {
			r.a.emit(piece, false, r.token)
		}
	}
}

// knows reports whether a word needs no splitting.
func (r *reading) knows(lower string) bool {
	term := r.a.stem(lower)
	have, _ := r.snap.term(term)
	return have != nil || stopWords[lower] || r.snap.opt.plain && isEnglish(term)
}

// token notes a word.
func (r *reading) token(t token) {
	if t.stop && (!r.stops || t.surface == "and" || t.surface == "or") { // those two name nothing
		return
	}
	have, df := r.snap.term(t.term)
	if !t.joined || have != nil { // a single character beside its pairs
		r.add(t, have, df, 1, t.joined)
	}
	if !r.snap.opt.joins || t.joined {
		return
	}
	if r.last.term != "" {
		r.neighbours = append(r.neighbours, [2]string{r.last.term, t.term})
		word := r.last.surface + t.surface
		both := token{term: r.a.stem(word), surface: word}
		if have, df := r.snap.term(both.term); have != nil {
			r.add(both, have, df, r.snap.opt.joined, true)
			r.joins = append(r.joins, join{both.term, r.last.term, t.term})
		}
	}
	r.last = t
}

// add notes a concept, once.
func (r *reading) add(t token, have *term, df uint32, weight float64, extra bool) {
	i, known := r.place[t.term]
	if !known {
		i = len(r.concepts)
		r.place[t.term] = i
		r.concepts = append(r.concepts, concept{word: t.surface, text: t.term, term: have, idf: idf(r.snap.counted, df), weight: weight, extra: extra, at: i})
	}
	r.concepts[i].in |= 1 << min(r.clauses, 63)
}

// weighScripts halves pairs of characters where the query has words as well.
func (r *reading) weighScripts() {
	words := 0
	for _, c := range r.concepts {
		if !startsCJK(c.text) {
			words++
		}
	}
	for i := range r.concepts {
		if c := &r.concepts[i]; words > 0 && startsCJK(c.text) {
			c.weight *= cjkWeight
		}
	}
}
