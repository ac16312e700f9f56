package discover

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A WordUse says how often a word was part of a search. Words are in lower case, and
// belong to nobody: who has searched is not kept.
type WordUse struct {
	Word     string `json:"word"`
	Searches int    `json:"searches"`
	Empty    int    `json:"empty,omitempty"` // searches that found nothing
}

const (
	maxWords      = 2000 // that are counted
	maxWordsShown = 200
	maxWord       = 24 // characters
)

// leftOut stands for what looks like a value.
const leftOut = "…"

// anonymous returns a query without everything that looks like a value: what
// is in quotes, numbers, addresses, and what is too long for a word.
func anonymous(query string) string {
	fields := strings.Fields(quotedText.ReplaceAllString(query, " "+leftOut+" "))
	for i, f := range fields {
		if !looksLikeWord(strings.Trim(f, ".,;:!?()[]{}")) {
			fields[i] = leftOut
		}
	}
	return strings.Join(slices.CompactFunc(fields, func(a, b string) bool { return a == leftOut && b == leftOut }), " ")
}

var quotedText = regexp.MustCompile(`"[^"]*"|\B'[^']*'\B|` + "`[^`]*`")

// looksLikeWord reports whether a text is a word, or a name such as read_file or s3.
func looksLikeWord(s string) bool {
	digits, mixed := 0, false
	for i, c := range s {
		switch {
		case unicode.IsDigit(c):
			digits++
		case unicode.IsUpper(c) && i > 0:
			mixed = true
		case !unicode.IsLetter(c) && !unicode.IsMark(c) && !strings.ContainsRune("_-/'’+&", c):
			return false
		}
	}
	n := utf8.RuneCountInString(s)
	first, _ := utf8.DecodeRuneInString(s)
	return n <= maxWord && (digits == 0 || digits <= 2 && n <= 6 && !mixed && unicode.IsLetter(first))
}

// count counts the words of an anonymous query.
func (u *Usage) count(query string, found int) {
	if !u.keep {
		return
	}
	words := strings.FieldsFunc(strings.ToLower(query), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) })
	slices.Sort(words)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.words == nil {
		u.words = map[string]*WordUse{}
	}
	for _, w := range slices.Compact(words) {
		use := u.words[w]
		if use == nil {
			if len(u.words) >= maxWords {
				u.dropRare()
			}
			use = &WordUse{Word: w}
			u.words[w] = use
		}
		use.Searches++
		if found == 0 {
			use.Empty++
		}
	}
}

// dropRare drops the half of the words that was used least.
func (u *Usage) dropRare() {
	for _, w := range u.sortedWords()[maxWords/2:] {
		delete(u.words, w.Word)
	}
}

func (u *Usage) sortedWords() []WordUse {
	list := make([]WordUse, 0, len(u.words))
	for _, w := range u.words {
		list = append(list, *w)
	}
	slices.SortFunc(list, func(a, b WordUse) int {
		return cmp.Or(cmp.Compare(b.Empty, a.Empty), cmp.Compare(b.Searches, a.Searches), cmp.Compare(a.Word, b.Word))
	})
	return list
}

// Words returns the words of searches, those first that were most often part of searches
// that found nothing.
func (u *Usage) Words() []WordUse {
	u.mu.Lock()
	defer u.mu.Unlock()
	list := u.sortedWords()
	return list[:min(len(list), maxWordsShown)]
}
