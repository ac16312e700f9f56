package search

import (
	_ "embed"
	"strings"
	"sync"
	"sync/atomic"
)

// A term is one entry of a vocabulary.
type term struct {
	id      uint32
	text    string // as indexed: folded, stemmed
	surface string // a word as some node writes it
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
	n := &term{id: uint32(len(all)), text: t.term, surface: t.surface}
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

//go:embed plainwords.txt
var plainText string

// plainWords are the stems of everyday words: correct as they are, even where
// no node uses them.
var plainWords = sync.OnceValue(func() map[string]bool {
	a := newAnalyzer()
	m := map[string]bool{}
	for line := range strings.Lines(plainText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for word := range strings.FieldsSeq(line) {
			m[a.stem(word)] = true
		}
	}
	return m
})

// isEnglish reports whether a term is an everyday word or one of a class.
func isEnglish(term string) bool { return plainWords()[term] || len(classes(false)[term]) > 0 }

// stopWords are the words that say nothing about a node: articles, pronouns,
// auxiliaries, prepositions, and the courtesies of a request.
var stopWords = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`
		a an the this that these those there here
		i me my mine myself we us our ours ourselves you your yours yourself he him his she her hers it its itself
		they them their theirs themselves one ones someone somebody something anyone anybody anything
		am is are was were be been being do does did doing done have has had having
		can could will would shall should may might must cant dont doesnt didnt wont isnt arent wasnt im ive id ill youre
		and or not nor but if then else than so as of at by for from in into on onto to with without within about over under
		up out off through between among during before after again
		what which who whom whose when where why how
		all any both few more most other some such no only own same too very just also ever even yet still
		please thanks thank hello hi hey ok okay kindly
		want wants wanted need needs needed like likes able let lets
		etc eg ie via per`) {
		m[w] = true
	}
	return m
}()
