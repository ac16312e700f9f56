package search

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed classes.txt
var classText string

// classes gives the terms that share a group with a term, in the order of
// classes.txt, without the term itself.
func classes(exact bool) map[string][]string {
	if exact {
		return exactClasses()
	}
	return stemmedClasses()
}

var (
	stemmedClasses = sync.OnceValue(func() map[string][]string { return readClasses(newAnalyzer()) })
	exactClasses   = sync.OnceValue(func() map[string][]string { return readClasses(&analyzer{exact: true}) })
)

func readClasses(a *analyzer) map[string][]string { return classesIn(classText, a) }

// maxSynonyms bounds a file of word classes, in bytes.
const maxSynonyms = 1 << 20

// Synonyms are word classes in addition to those of Patchbay: words that people use for
// one another.
type Synonyms struct{ of map[string][]string } // by term

// ReadSynonyms reads word classes: a line is one, of words between spaces; a line that
// begins with # is a comment. Words are compared by their stems.
func ReadSynonyms(text string) (*Synonyms, error) {
	if len(text) > maxSynonyms {
		return nil, fmt.Errorf("the word classes have %d bytes, at most %d are read", len(text), maxSynonyms)
	}
	return &Synonyms{classesIn(text, newAnalyzer())}, nil
}

// Widen makes searches use more word classes from now on; nil takes them away.
func (x *Index) Widen(s *Synonyms) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.synonyms = s
	now := *x.current.Load()
	now.synonyms = s
	x.current.Store(&now)
}

func classesIn(text string, a *analyzer) map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(strings.ToLower(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var group []string
		for word := range strings.FieldsSeq(line) {
			group = appendNew(group, a.stem(strings.ReplaceAll(word, "-", "")))
		}
		for _, w := range group {
			for _, other := range group {
				if other != w {
					m[w] = appendNew(m[w], other)
				}
			}
		}
	}
	return m
}

// maxSuggested is how many words a suggested class has.
const maxSuggested = 6

// Suggest is a line for [ReadSynonyms] with which a query finds what another one finds:
// the words that only one of them has. It is "" where there is no such line.
func Suggest(missed, found string) string {
	a, b := tellingWords(missed), tellingWords(found)
	only := func(list, other []string) (words []string) {
		for _, w := range list {
			if !slices.Contains(other, w) {
				words = appendNew(words, w)
			}
		}
		return words
	}
	lost, gained := only(a, b), only(b, a)
	if len(lost) == 0 || len(gained) == 0 || len(lost) > 2 || len(lost)+len(gained) > maxSuggested {
		return ""
	}
	return strings.Join(slices.Concat(lost, gained), " ")
}

func tellingWords(query string) (words []string) {
	for word := range runs(strings.ToLower(fold(query)), isWord) {
		if !stopWords[word] {
			words = append(words, word)
		}
	}
	return words
}
