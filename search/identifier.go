package search

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// joined is an identifier as one lower-case word.
func joined(chunk string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return -1
		}
		return r
	}, chunk))
}

// alphaRuns emits the letters between digits joined, where they were split at
// a change of case: "oauth" of "OAuth2".
func (a *analyzer) alphaRuns(parts []string, yield func(token)) {
	hasDigit := false
	for _, p := range parts {
		hasDigit = hasDigit || isDigit(rune(p[0]))
	}
	if !hasDigit {
		return
	}
	var run strings.Builder
	n := 0
	flush := func() {
		if n > 1 {
			a.emit(strings.ToLower(run.String()), true, yield)
		}
		run.Reset()
		n = 0
	}
	for _, p := range parts {
		if isDigit(rune(p[0])) {
			flush()
			continue
		}
		run.WriteString(p)
		n++
	}
	flush()
}

// isCompound reports what may be inside one identifier. A slash or a dot is
// left out: prose joins alternatives and sentences with them.
func isCompound(r rune) bool { return isWord(r) || r == '_' || r == '-' }

// splitIdentifier appends the parts of a word: between lower and upper case,
// before the last capital of an acronym that a lower-case letter follows,
// between letters and digits, and where the script changes to or from one that
// is written without spaces. "HTTPServer2" is HTTP, Server, 2; "URLs" is whole.
func splitIdentifier(parts []string, word string) []string {
	start := 0
	var prev rune
	for i, r := range word {
		if i == 0 {
			prev = r
			continue
		}
		next, _ := utf8.DecodeRuneInString(word[i+utf8.RuneLen(r):])
		cut := false
		switch {
		case isDigit(prev) != isDigit(r), isCJK(prev) != isCJK(r):
			cut = true
		case unicode.IsUpper(r) && unicode.IsLower(prev):
			cut = true
		case unicode.IsUpper(r) && unicode.IsUpper(prev) && unicode.IsLower(next):
			plural := next == 's' && i+utf8.RuneLen(r)+1 == len(word)
			cut = !plural
		}
		if cut {
			parts = append(parts, word[start:i])
			start = i
		}
		prev = r
	}
	return append(parts, word[start:])
}

// NameWords are the words of a name, such as that of a field, as search compares them:
// split at changes of case, in lower case, and stemmed.
func NameWords(name string) []string {
	var list []string
	a := stemmer.Get().(*analyzer)
	defer stemmer.Put(a)
	for word := range runs(fold(name), isWord) {
		for _, part := range splitIdentifier(nil, word) {
			list = append(list, a.stem(strings.ToLower(part)))
		}
	}
	return list
}

var stemmer = sync.Pool{New: func() any { return newAnalyzer() }}
