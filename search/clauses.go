package search

import (
	"strings"
	"unicode"
)

// shortQuery is how many words a query may have to be taken as one clause.
const shortQuery = 12

// clauses splits a long query at punctuation and at the words that join sentences.
// A short one is whole.
func clauses(text string) []string {
	words := 0
	for word := range runs(strings.ToLower(text), isWord) {
		if !joinsClauses[word] && word != "not" { // operators of other search engines do not count
			words++
		}
	}
	if words <= shortQuery {
		return []string{text}
	}
	var list []string
	var clause strings.Builder
	end := func() {
		if clause.Len() > 0 {
			list = append(list, clause.String())
			clause.Reset()
		}
	}
	for word := range strings.FieldsSeq(text) {
		if joinsClauses[strings.ToLower(word)] {
			end()
			continue
		}
		clause.WriteString(word)
		clause.WriteByte(' ')
		if last := []rune(word)[len([]rune(word))-1]; unicode.IsPunct(last) && !strings.ContainsRune(`'"_-`, last) {
			end()
		}
	}
	end()
	return list
}

var joinsClauses = map[string]bool{"and": true, "then": true, "or": true, "but": true, "also": true}
