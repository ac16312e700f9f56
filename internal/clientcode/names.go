package clientcode

import (
	"strconv"
	"strings"
)

// A dialect is how a language writes names.
type dialect struct {
	word     func(string) string // makes an identifier of a name
	reserved map[string]bool     // what identifiers must not be
	members  map[string]bool     // what names of members and parameters must not be
}

// A nameSet gives names identifiers, each another one.
type nameSet struct {
	word            func(string) string
	reserved, taken map[string]bool
}

// global are the identifiers of a module in which some are taken.
func (d *dialect) global(taken ...string) *nameSet {
	n := &nameSet{d.word, d.reserved, map[string]bool{}}
	for _, name := range taken {
		n.taken[name] = true
	}
	return n
}

// member are the identifiers of a group, or of a function's parameters.
func (d *dialect) member() *nameSet { return &nameSet{d.word, d.members, map[string]bool{}} }

// add returns an identifier for a name: one that is reserved gets an underscore, one
// that is taken a number. The same names in the same order have the same identifiers.
func (n *nameSet) add(name string) string {
	word := n.word(name)
	if n.reserved[word] {
		word += "_"
	}
	ident := word
	for i := 2; n.taken[ident]; i++ {
		ident = strings.TrimSuffix(word, "_") + strconv.Itoa(i)
	}
	n.taken[ident] = true
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

// pascal writes read_file as ReadFile.
func pascal(name string) string {
	list := words(name)
	for i, w := range list {
		list[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Join(list, "")
}

// snake writes readFile as read_file, and read-file too.
func snake(name string) string {
	var b strings.Builder
	name = strings.Join(words(name), "_")
	for i := range len(name) {
		c := name[i]
		upper := c >= 'A' && c <= 'Z'
		after := i > 0 && (name[i-1] >= 'a' && name[i-1] <= 'z' || name[i-1] >= '0' && name[i-1] <= '9')
		begins := i > 0 && i+1 < len(name) && name[i-1] >= 'A' && name[i-1] <= 'Z' && name[i+1] >= 'a' && name[i+1] <= 'z'
		if upper && (after || begins) {
			b.WriteByte('_')
		}
		if upper {
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String()
}

// setOf is the set of the words of a text.
func setOf(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

// taking returns a name, with a number if it is taken.
func (n *nameSet) taking(name string) string {
	ident := name
	for i := 2; n.taken[ident]; i++ {
		ident = name + strconv.Itoa(i)
	}
	n.taken[ident] = true
	return ident
}
