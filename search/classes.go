package search

import (
	_ "embed"
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

func readClasses(a *analyzer) map[string][]string {
	m := map[string][]string{}
	for line := range strings.Lines(classText) {
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
