package search

// A reading is what a query says, word by word.
type reading struct {
	snap *Snapshot
	a    *analyzer

	concepts   []concept
	place      map[string]int // in concepts, by term
	clauses    int
	joins      []join
	neighbours [][2]string // terms
	last       token       // the word before
}

// A join is two neighbours that some node writes as one word. All are terms.
type join struct{ both, left, right string }

// read reads a query.
func (s *Snapshot) read(text string) *reading {
	r := &reading{snap: s, a: s.opt.analyzer(), place: map[string]int{}}
	for _, clause := range clauses(text) {
		r.a.words(clause, r.token)
		r.clauses++
	}
	return r
}

// token notes a word.
func (r *reading) token(t token) {
	have, df := r.snap.term(t.term)
	if !t.joined || have != nil { // the parts of an unknown joined word follow
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
