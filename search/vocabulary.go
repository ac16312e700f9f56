package search

import (
	"sync"
	"sync/atomic"
)

// A term is one entry of a vocabulary.
type term struct {
	id      uint32
	text    string // as indexed: folded, stemmed
	surface string // a word as some node writes it
	shape   uint64 // its letters, for the speller
}

// A vocabulary numbers the terms of all segments. One writer adds to it while
// others read; nothing is ever taken out.
type vocabulary struct {
	known map[string]*term        // for the writer
	byKey sync.Map                // string -> *term, for readers
	all   atomic.Pointer[[]*term] // by id
}

func newVocabulary() *vocabulary {
	v := &vocabulary{known: map[string]*term{}}
	v.all.Store(&[]*term{})
	return v
}

// intern is the term of a token, new where need be, and notes it in the token.
// Only a writer calls it.
func (v *vocabulary) intern(t *token) *term {
	if t.of != v {
		t.known, t.of = v.find(t), v
	}
	return t.known
}

func (v *vocabulary) find(t *token) *term {
	if have, ok := v.known[t.term]; ok {
		return have
	}
	all := *v.all.Load()
	n := &term{id: uint32(len(all)), text: t.term, surface: t.surface, shape: letters(t.term)}
	v.known[n.text] = n
	v.byKey.Store(n.text, n)
	all = append(all, n) // readers keep to the length they have loaded
	v.all.Store(&all)
	return n
}

// lookup is the term of a text, or nil.
func (v *vocabulary) lookup(text string) *term {
	if t, ok := v.byKey.Load(text); ok {
		return t.(*term)
	}
	return nil
}

func (v *vocabulary) terms() []*term { return *v.all.Load() }

func (v *vocabulary) len() int { return len(v.terms()) }
