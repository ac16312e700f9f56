package search

import (
	_ "embed"
	"strings"
	"sync"
)

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
