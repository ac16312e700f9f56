package clientcode

import (
	"strconv"
	"strings"
)

// reserved are the words that identifiers of a module must not be.
var reserved = wordSet(`
	arguments as async await boolean break case catch class close const continue debugger declare default delete do
	else enum eval export extends false finally for from function get if implements import in instanceof interface
	let module namespace new null number of package private protected public require return set start static string
	super switch symbol this throw true try type typeof undefined unknown var void while with yield`)

// identifiers are those of a module, or of the members of a group.
type identifiers struct{ reserved, used map[string]bool }

// add returns an identifier for a name: one that is reserved gets an underscore, one
// that is used a number. The same names in the same order have the same identifiers.
func (n *identifiers) add(name string) string {
	word := camel(name)
	if n.reserved[word] {
		word += "_"
	}
	ident := word
	for i := 2; n.used[ident]; i++ {
		ident = strings.TrimSuffix(word, "_") + strconv.Itoa(i)
	}
	n.used[ident] = true
	return ident
}

// words splits a name at what is not an ASCII letter or digit. An identifier of them
// begins with a letter and never with an underscore, as the runtime's own names do.
func words(name string) []string {
	list := strings.FieldsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	if len(list) == 0 {
		return []string{"x"}
	}
	if c := list[0][0]; c >= '0' && c <= '9' {
		list[0] = "x" + list[0]
	}
	return list
}

// camel writes read_file as readFile.
func camel(name string) string {
	list := words(name)
	for i, w := range list {
		switch {
		case i > 0:
			list[i] = strings.ToUpper(w[:1]) + w[1:]
		case w == strings.ToUpper(w):
			list[i] = strings.ToLower(w)
		default:
			list[i] = strings.ToLower(w[:1]) + w[1:]
		}
	}
	return strings.Join(list, "")
}

// wordSet is the set of the words of a text.
func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}
