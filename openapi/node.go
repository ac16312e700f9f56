package openapi

import (
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-mcp/patchbay/diag"
)

// A node is one value of a document, JSON or YAML: members keep their order, numbers
// their digits. A nil node is an absent value, and its methods return nothing.
type node struct {
	kind    byte   // '{', '[', '"', '0' (a number), 't', 'f', 'n'
	line    int32  // 1-based
	text    string // of a string, decoded; of a number, as it is written in JSON
	members []member
	file    *file // of an object: the document it is in, where its references begin

	index map[string]*node // of an object with many members, once one was looked up
}

// manyMembers is how many members are looked up by an index.
const manyMembers = 32

// A member is one member of an object, or one item of an array, without a name.
type member struct {
	name  string
	value *node
}

func (n *node) is(kind byte) bool { return n != nil && n.kind == kind }

// get returns a member of an object. It is not safe for concurrent use.
func (n *node) get(name string) *node {
	if !n.is('{') {
		return nil
	}
	if len(n.members) > manyMembers {
		return n.indexed()[name]
	}
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func (n *node) indexed() map[string]*node {
	if n.index == nil {
		n.index = make(map[string]*node, len(n.members))
		for _, m := range slices.Backward(n.members) { // of one name the first counts
			n.index[m.name] = m.value
		}
	}
	return n.index
}

// str returns the value of a string.
func (n *node) str() string {
	if !n.is('"') {
		return ""
	}
	return n.text
}

// nullable reports whether a schema of 3.0 allows null; in Swagger an extension says it.
func (n *node) nullable() bool { return n.get("nullable").is('t') || n.get("x-nullable").is('t') }

// label returns the value of a string, number or boolean as text: YAML authors write
// 3.0 and 200 without quotes where the specification wants strings.
func (n *node) label() string {
	switch {
	case n.is('"'), n.is('0'):
		return n.text
	case n.is('t'):
		return "true"
	case n.is('f'):
		return "false"
	}
	return ""
}

// fields yields the members of an object.
func (n *node) fields() iter.Seq2[string, *node] {
	return func(yield func(string, *node) bool) {
		if !n.is('{') {
			return
		}
		for _, m := range n.members {
			if !yield(m.name, m.value) {
				return
			}
		}
	}
}

// items yields the items of an array.
func (n *node) items() iter.Seq[*node] {
	return func(yield func(*node) bool) {
		if !n.is('[') {
			return
		}
		for _, m := range n.members {
			if !yield(m.value) {
				return
			}
		}
	}
}

// at returns what a JSON Pointer in the fragment of a reference leads to.
func (n *node) at(pointer string) *node {
	for i, step := range strings.Split(pointer, "/") {
		switch {
		case i == 0: // what is before the first slash
		case n.is('{'):
			n = n.get(unescape(step))
		case n.is('['):
			at, err := strconv.Atoi(step)
			if err != nil || at < 0 || at >= len(n.members) {
				return nil
			}
			n = n.members[at].value
		default:
			return nil
		}
	}
	return n
}

// unescape reads one step of a JSON Pointer within a URL.
func unescape(step string) string {
	if strings.ContainsRune(step, '%') {
		if decoded, err := url.PathUnescape(step); err == nil {
			step = decoded
		}
	}
	return diag.UnescapePointer(step)
}

// appendJSON writes a value as JSON, as it was read.
func (n *node) appendJSON(b []byte) []byte {
	switch {
	case n == nil, n.kind == 'n':
		return append(b, "null"...)
	case n.kind == '"':
		return appendString(b, n.text)
	case n.kind == '{':
		b = append(b, '{')
		for i, m := range n.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, m.name), ':')
			b = m.value.appendJSON(b)
		}
		return append(b, '}')
	case n.kind == '[':
		b = append(b, '[')
		for i, m := range n.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = m.value.appendJSON(b)
		}
		return append(b, ']')
	}
	return append(b, n.label()...)
}

// appendString writes a string as JSON; what is not UTF-8 becomes U+FFFD.
func appendString(b []byte, s string) []byte {
	out, err := jsontext.AppendQuote(b, s)
	if err != nil {
		out, _ = jsontext.AppendQuote(b, strings.ToValidUTF8(s, "\ufffd"))
	}
	return out
}
