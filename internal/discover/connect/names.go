package connect

import (
	_ "embed"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/search"
)

//go:embed words.txt
var wordGroups string

// A word is a number that a [vocabulary] gives a word of names; unknown is one that no
// node has.
type word int32

const unknown word = -1

// generic are words that name a field of nearly anything: what it is of decides.
const genericWords = "id identifier key uid uuid number name title label url link href text body content type value status state date time description count total data result index code slug start end created updated email path"

// Verbs of the names of tools say nothing of what a field is of. Those after "|" are of
// tools that change something.
const (
	verbs    = "get list search find read fetch show query lookup retrieve describe check view by for the of in to with all a and from info my tool | " + changing
	changing = "create add update delete remove send post write edit move set insert upload merge close cancel archive assign invite publish share book schedule rename run start stop trigger submit reply put patch upsert open drop"
)

// A vocabulary has the words of the names of a catalog.
type vocabulary struct {
	known   map[string]word
	near    [][]word // words of the same group
	generic map[word]bool
	verb    map[word]bool
	change  map[word]bool
	stemmed map[string][]word // by name
}

func newVocabulary() *vocabulary {
	v := &vocabulary{known: map[string]word{}, generic: map[word]bool{}, verb: map[word]bool{}, change: map[word]bool{}, stemmed: map[string][]word{}}
	for line := range strings.Lines(wordGroups) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var group []word
		for w := range strings.FieldsSeq(line) {
			group = append(group, v.words(w)...)
		}
		for _, w := range group {
			for _, other := range group {
				if other != w && !slices.Contains(v.near[w], other) {
					v.near[w] = append(v.near[w], other)
				}
			}
		}
	}
	for text, of := range map[string]map[word]bool{genericWords: v.generic, verbs: v.verb, changing: v.change} {
		for w := range strings.FieldsSeq(text) {
			for _, n := range v.words(w) {
				of[n] = true
			}
		}
	}
	return v
}

// clone is a copy that may grow while the vocabulary is read.
func (v *vocabulary) clone() *vocabulary {
	c := *v
	c.known, c.stemmed, c.near = maps.Clone(v.known), maps.Clone(v.stemmed), slices.Clone(v.near)
	return &c
}

// words are the words of a name, each once. New ones are added.
func (v *vocabulary) words(name string) []word {
	if list, ok := v.stemmed[name]; ok {
		return list
	}
	var list []word
	for _, stem := range search.NameWords(name) {
		w, ok := v.known[stem]
		if !ok {
			w = word(len(v.near))
			v.known[stem], v.near = w, append(v.near, nil)
		}
		if !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	v.stemmed[name] = list
	return list
}

// read is words of a name that adds none.
func (v *vocabulary) read(name string) []word {
	var list []word
	for _, stem := range search.NameWords(name) {
		w, ok := v.known[stem]
		if !ok {
			w = unknown
		}
		if w == unknown || !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	return list
}

// nouns is a list without verbs.
func (v *vocabulary) nouns(list []word) []word {
	return slices.DeleteFunc(slices.Clone(list), func(w word) bool { return v.verb[w] })
}

func (v *vocabulary) allGeneric(list []word) bool {
	return !slices.ContainsFunc(list, func(w word) bool { return !v.generic[w] })
}

// idf is how telling a word is.
func (x *Index) idf(w word) float64 {
	if w < 0 || int(w) >= len(x.telling) {
		return x.rare
	}
	return x.telling[w]
}

func telling(df, nodes int) float64 { return .2 + math.Log(1+float64(nodes)/float64(1+df)) }

// How much a word of a name counts that is found elsewhere than in the other name.
const (
	ofGroup        = .85 // a word of the same group
	ofContext      = .8  // the word, in what the other field is of
	ofGroupContext = .65
)

// covered is the share of a name, by idf, that another name and what it is of have, and
// whether the other name itself has a part of it.
func (x *Index) covered(name, other, context []word) (share float64, direct bool) {
	var has, all float64
	for _, w := range name {
		idf, found := x.idf(w), 0.
		switch {
		case w == unknown:
		case slices.Contains(other, w):
			found, direct = 1, true
		case x.words.related(other, w):
			found, direct = ofGroup, true
		case slices.Contains(context, w):
			found = ofContext
		case x.words.related(context, w):
			found = ofGroupContext
		}
		all, has = all+idf, has+idf*found
	}
	if all == 0 {
		return 0, false
	}
	return has / all, direct
}

func (v *vocabulary) related(list []word, w word) bool {
	return slices.ContainsFunc(v.near[w], func(near word) bool { return slices.Contains(list, near) })
}

// likeness says how likely two fields mean the same, by their names and what they are of.
func (x *Index) likeness(a, b *field) float64 {
	if len(a.name) == 0 || len(b.name) == 0 {
		return unnamed
	}
	if a.wide&b.own|a.own&b.of|b.own&a.of == 0 {
		return 0
	}
	of, direct := x.covered(a.name, b.name, b.context)
	if of == 0 {
		return 0
	}
	back, also := x.covered(b.name, a.name, a.context)
	if !direct && !also {
		return 0
	}
	like := of * back
	if x.words.allGeneric(a.name) && x.words.allGeneric(b.name) && len(a.context) > 0 && len(b.context) > 0 {
		if !slices.ContainsFunc(a.context, func(w word) bool {
			return slices.Contains(b.context, w) || w != unknown && x.words.related(b.context, w)
		}) {
			like *= otherThing
		}
	}
	return like
}

const (
	unnamed    = .4 // likeness where one has no name
	otherThing = .4 // factor for the id of one thing and the id of another
)
