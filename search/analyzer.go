package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/char/asciifolding"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
	"github.com/blevesearch/bleve/v2/analysis/token/unicodenorm"
)

// maxWord bounds a term in runes: a longer run of letters is data, not a word.
const maxWord = 64

// A run without spaces of at least minData bytes that splits into at least minDataParts
// parts, shorter than dataPart bytes on average, is data too: base64, a hash, a minified
// program. Its parts would be new terms, hundreds in a description. What it is its first
// dataLooked bytes say.
const (
	minData      = 20
	minDataParts = 8
	dataPart     = 3
	dataLooked   = 256
)

// Of the words of one text that split into at least compound parts only the first
// maxCompounds count: more are code or data, and each would be new terms. So are words of
// parts shorter than codePart bytes on average, where a text has more than maxShort of them.
const (
	compound     = 4
	maxCompounds = 16
	codePart     = 3.5
	maxShort     = 4
)

// changes is how often the letters of a word change to capitals or digits, which is about
// how many parts it has less one.
func changes(word string) (n int) {
	kind := func(c byte) int {
		switch {
		case c >= 'A' && c <= 'Z':
			return 1
		case isDigit(rune(c)):
			return 2
		case c == '_' || c == '-':
			return 3
		}
		return 0
	}
	for i := 1; i < len(word); i++ {
		if k := kind(word[i]); k != 0 && k != kind(word[i-1]) {
			n++
		}
	}
	return n
}

// withoutData is a text with a space in the place of each run that is data.
func withoutData(s string) string {
	if !hasLongRun(s) {
		return s
	}
	var kept strings.Builder
	var parts []string
	from := 0
	for run := range runs(s, isEncoded) {
		if len(run) < minData {
			continue
		}
		parts = parts[:0]
		bytes := 0
		for word := range runs(run[:min(len(run), dataLooked)], isWord) {
			parts = splitIdentifier(parts, word)
			bytes += len(word)
		}
		if len(parts) >= minDataParts && bytes < dataPart*len(parts) {
			at := from + strings.Index(s[from:], run)
			kept.WriteString(s[from:at])
			kept.WriteByte(' ')
			from = at + len(run)
		}
	}
	if from == 0 {
		return s
	}
	return kept.String() + s[from:]
}

// hasLongRun reports whether a text may have a run that is data: minData bytes without a space.
func hasLongRun(s string) bool {
	n := 0
	for i := range len(s) {
		if n++; s[i] == ' ' || s[i] == '\n' {
			n = 0
		}
		if n == minData {
			return true
		}
	}
	return false
}

// isEncoded reports what may be inside encoded data, such as base64.
func isEncoded(r rune) bool { return isCompound(r) || r == '+' || r == '/' || r == '=' }

// An analyzer turns text into terms, the same way for nodes and for queries.
// It remembers words, so it is cheap to reuse and not safe for concurrent use.
type analyzer struct {
	known  map[string][]token // what a chunk of text gives
	porter *porter.PorterStemmer
	parts  []string // scratch
	exact  bool     // no stemming
	every  bool     // stop words too

	places   []int32 // scratch of newSlice
	counts   []uint32
	postings []posting
}

// knownChunks bounds an analyzer's memory.
const knownChunks = 1 << 14

func newAnalyzer() *analyzer {
	return &analyzer{known: map[string][]token{}, porter: porter.NewPorterStemmer()}
}

// A token is one term of a text. A joined token restates tokens before it as
// one word ("createissue"), so it does not count towards the text's length.
type token struct {
	term    string // folded, lower case, stemmed
	surface string // folded, lower case, as written
	joined  bool
	stop    bool // a stop word, which is indexed in some fields only

	known *term // in the vocabulary of, once it has been looked up
	of    *vocabulary
}

// text calls yield for each token of a node's text, stop words included. Identifiers are
// split at underscores, hyphens, dots, changes of case and between letters and digits;
// what was split is given joined as well, a whole name too when name is set.
func (a *analyzer) text(s string, name bool, yield func(*token)) {
	s = withoutData(fold(s))
	var whole strings.Builder
	chunks, compounds, short := 0, 0, 0
	for chunk := range runs(s, isCompound) {
		n := changes(chunk)
		if n >= compound-1 {
			compounds++
		}
		if n > 0 && float64(len(chunk)) < codePart*float64(n+1) {
			short++
		}
		if n >= compound-1 && compounds > maxCompounds || n > 0 && short > maxShort {
			continue
		}
		list := a.chunk(chunk)
		for i := range list {
			yield(&list[i])
		}
		if name {
			whole.WriteString(chunk)
			chunks++
		}
	}
	if chunks > 1 && chunks <= 8 {
		a.emit(joined(whole.String()), true, func(t token) { yield(&t) })
	}
}

// chunk is the tokens of a run of letters, digits, underscores and hyphens.
func (a *analyzer) chunk(chunk string) []token {
	if list, ok := a.known[chunk]; ok {
		return list
	}
	var list []token
	keep := func(t token) {
		t.term, t.surface = strings.Clone(t.term), strings.Clone(t.surface)
		list = append(list, t)
	}
	parts := 0
	for word := range runs(chunk, isWord) {
		a.parts = splitIdentifier(a.parts[:0], word)
		parts += len(a.parts)
		for _, p := range a.parts {
			a.emit(strings.ToLower(p), false, keep)
		}
		a.alphaRuns(a.parts, keep)
	}
	if parts > 1 && parts <= 8 {
		a.emit(joined(chunk), true, keep)
	}
	if len(a.known) == knownChunks {
		clear(a.known)
	}
	a.known[strings.Clone(chunk)] = list
	return list
}

func (a *analyzer) emit(word string, joined bool, yield func(token)) {
	word = strings.TrimSuffix(word, "'s")
	word = strings.ReplaceAll(word, "'", "")
	n := utf8.RuneCountInString(word)
	if n == 0 || n > maxWord {
		return
	}
	if first, _ := utf8.DecodeRuneInString(word); isCJK(first) {
		bigrams(word, joined, yield)
		return
	}
	yield(token{term: a.stem(word), surface: word, joined: joined, stop: stopWords[word] && !a.every})
}

// stem is Porter's, for plain English words only.
func (a *analyzer) stem(word string) string {
	if len(word) < 3 || a.exact || !isPlain(word) {
		return word
	}
	return string(a.porter.Filter(analysis.TokenStream{{Term: []byte(word)}})[0].Term)
}

func isPlain(word string) bool {
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return false
		}
	}
	return true
}

// bigrams emits a run of Chinese, Japanese or Korean as its characters and its
// pairs of characters: the scripts put no spaces between words.
func bigrams(word string, joined bool, yield func(token)) {
	if joined {
		return
	}
	r := []rune(word)
	for i := range r {
		if len(r) > 1 {
			yield(token{term: string(r[i]), surface: string(r[i]), joined: true})
		} else {
			yield(token{term: word, surface: word})
		}
		if i+1 < len(r) {
			pair := string(r[i : i+2])
			yield(token{term: pair, surface: pair})
		}
	}
}

// runs yields the longest stretches of s whose runes satisfy in, trimmed of
// what is not a letter or digit at either end.
func runs(s string, in func(rune) bool) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start := -1
		for i, r := range s {
			switch {
			case in(r) && start < 0:
				start = i
			case !in(r) && start >= 0:
				if !yieldTrimmed(s[start:i], yield) {
					return
				}
				start = -1
			}
		}
		if start >= 0 {
			yieldTrimmed(s[start:], yield)
		}
	}
}

func yieldTrimmed(s string, yield func(string) bool) bool {
	s = strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return s == "" || yield(s)
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		lower := r | 0x20
		return lower >= 'a' && lower <= 'z' || isDigit(r) || r == '\''
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '\''
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isCJK(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

var (
	folding   = asciifolding.New()
	normalize = unicodenorm.MustNewUnicodeNormalizeFilter(unicodenorm.NFKC)
	decompose = unicodenorm.MustNewUnicodeNormalizeFilter(unicodenorm.NFKD)
)

// fold removes accents and compatibility forms and repairs broken UTF-8. Korean
// is left composed.
func fold(s string) string {
	ascii := true
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		return s
	}
	s = strings.ToValidUTF8(s, " ")
	s = strings.NewReplacer("’", "'", "‘", " ", "\u200d", "", "\u200c", "", "\u00ad", "").Replace(s)
	s = string(normalize.Filter(analysis.TokenStream{{Term: []byte(s)}})[0].Term)
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf, isCJK(r):
			b.WriteRune(r)
		default:
			for _, d := range string(decompose.Filter(analysis.TokenStream{{Term: []byte(string(r))}})[0].Term) {
				if d < 0x300 || d > 0x36F { // combining marks of Latin, Greek and Cyrillic
					b.WriteRune(d)
				}
			}
		}
	}
	return string(folding.Filter([]byte(b.String())))
}
