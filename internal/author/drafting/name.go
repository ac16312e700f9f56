package drafting

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/patchbay-mcp/patchbay/types"
)

// words are the words of a name in camelCase, snake_case or with hyphens, in lower case
// and without the s of a plural.
func words(name string) []string {
	var list []string
	var word []rune
	end := func() {
		if text := strings.ToLower(string(word)); text != "" {
			if len(text) > 3 {
				text = strings.TrimSuffix(text, "s")
			}
			list = append(list, text)
		}
		word = word[:0]
	}
	upper := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		case unicode.IsUpper(r) && !upper:
			end()
			fallthrough
		default:
			word = append(word, r)
		}
		upper = unicode.IsUpper(r)
	}
	end()
	return list
}

// namesFit reports whether two names have a word in common, as issue_number and number.
func namesFit(a, b string) bool {
	of := words(b)
	return slices.ContainsFunc(words(a), func(w string) bool { return slices.Contains(of, w) })
}

// ids gives nodes, or the properties of an object, names of their own.
type ids map[string]bool

// take returns the first of some names that is free, as a name that expressions can use as
// it is, and takes it.
func (s ids) take(names ...string) string {
	var id string
	for _, name := range names {
		if id = plain(name); !s[id] {
			s[id] = true
			return id
		}
	}
	for n := 2; ; n++ {
		if next := id + "_" + strconv.Itoa(n); !s[next] {
			s[next] = true
			return next
		}
	}
}

// StepIDs are the ids of the nodes of a scaffold that call tools of these names.
func StepIDs(tools []string) []string {
	taken := newIDs()
	list := make([]string, len(tools))
	for i, tool := range tools {
		list[i] = taken.take(tool)
	}
	return list
}

func newIDs() ids { return ids{"entry": true, "exit": true} }

// maxName is how many characters of a name are kept: what clients take for the name of an
// argument.
const maxName = 60

func plain(name string) string {
	id := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, name)
	id = strings.TrimRight(id[:min(len(id), maxName)], "_")
	if !types.PlainName(id) {
		return "_" + id
	}
	return id
}

// step is the expression of a member.
func step(of, name string) string { return of + "." + types.QuoteName(name) }

// item is the expression of an item.
func item(of string, i int) string { return of + "[" + strconv.Itoa(i) + "]" }

// call is the expression of a call of a function with a text.
func call(function, of, text string) string {
	return "$" + function + "(" + of + ", " + types.QuoteString(text) + ")"
}
