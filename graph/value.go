package graph

import (
	"iter"
	"strconv"

	"github.com/patchbay-mcp/patchbay/diag"
)

// style is how a value is written.
type style uint8

const (
	plain   style = iota // as it is written; a number, true, false, null or an unquoted text
	empty                // an implicit null: no bytes at all
	single               // '…'
	double               // "…" in YAML
	quoted               // "…" in JSON
	literal              // | block
	folded               // > block
	alias                // *name
	block                // a list or map by indentation
	flow                 // [] or {}
	bare                 // the one member of [key: value]
)

type node struct {
	doc    *Document
	parent *node
	kids   []*node // a list's items; a map's keys and values in turn
	text   string
	start  int32 // byte offset of the value's own text, after a tag or anchor
	end    int32 // negative: found on demand
	index  int32 // in parent.kids
	kind   uint8
	style  style
	key    bool // a key of parent
	again  bool // a key that parent already has, or one that is not text
	odd    bool // a collection that text edits cannot work on piecemeal
	prop   bool // has a tag or an anchor
}

// A Value is a handle on one value of a document and its place. It is as cheap
// as a pointer. The zero Value is an absent one; every method works on it.
type Value struct{ n *node }

// Kind returns what the value is, Absent for the zero Value.
func (v Value) Kind() Kind {
	if v.n == nil {
		return Absent
	}
	return Kind(v.n.kind)
}

// Exists reports whether there is a value, be it null.
func (v Value) Exists() bool { return v.n != nil }

// Is reports whether the value is of kind k.
func (v Value) Is(k Kind) bool { return v.Kind() == k }

// Document returns the document the value is part of, nil for the zero Value.
func (v Value) Document() *Document {
	if v.n == nil {
		return nil
	}
	return v.n.doc
}

// Path returns the value's JSON Pointer, "" for the root and for the zero Value.
func (v Value) Path() string {
	if v.n == nil {
		return ""
	}
	return string(v.n.appendPath(nil))
}

func (n *node) appendPath(b []byte) []byte {
	if n.parent == nil {
		return b
	}
	b = append(n.parent.appendPath(b), '/')
	if Kind(n.parent.kind) == Array {
		return strconv.AppendInt(b, int64(n.index), 10)
	}
	name := n.text
	if !n.key {
		name = n.parent.kids[n.index-1].text
	}
	return append(b, diag.EscapePointer(name)...)
}

// Range returns the place of the value's text, from its first byte to after
// its last one: quotes, brackets and block scalars' headers are part of it, a
// comment after it is not. A value that is not written at all, as in "key:",
// has an empty range.
func (v Value) Range() diag.Range {
	if v.n == nil {
		return diag.Range{}
	}
	return v.n.doc.lines.span(int(v.n.start), v.n.stop())
}

// Source returns the value's text in the document as it is written, the bytes
// of its Range.
func (v Value) Source() string {
	if v.n == nil {
		return ""
	}
	return v.n.doc.Src[v.n.start:v.n.stop()]
}

// Text returns a scalar's decoded text: of a text the text itself, of a number
// its digits as written. It is "" for lists, maps and null.
func (v Value) Text() string {
	if v.n == nil || v.Is(Null) {
		return ""
	}
	return v.n.text
}

// Bool returns whether the value is true.
func (v Value) Bool() bool { return v.Is(Boolean) && v.n.text == "true" }

// Int returns a number that is an integer as such; ok is false for any other
// value, also for one beyond int64.
func (v Value) Int() (i int64, ok bool) {
	if !v.Is(Number) {
		return 0, false
	}
	if i, err := strconv.ParseInt(v.n.text, 10, 64); err == nil {
		return i, true
	}
	f, err := strconv.ParseFloat(v.n.text, 64)
	if err != nil || f != float64(int64(f)) || f < -1<<53 || f > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// Get returns the value of a map's member, the zero Value if there is none or v
// is not a map.
func (v Value) Get(key string) Value {
	if k := v.key(key); k != nil {
		return Value{k.parent.kids[k.index+1]}
	}
	return Value{}
}

// Has reports whether the map v has a member with the key.
func (v Value) Has(key string) bool { return v.Get(key).Exists() }

// Key returns a handle on the key itself: its Range is the key's, its Text the
// key, its Path the member's. It is the zero Value if v has no such key.
func (v Value) Key(key string) Value { return Value{v.key(key)} }

func (v Value) key(key string) *node {
	if !v.Is(Object) {
		return nil
	}
	if names, ok := v.n.doc.names[v.n]; ok {
		return names[key]
	}
	for i := 0; i < len(v.n.kids); i += 2 {
		if k := v.n.kids[i]; k.text == key && !k.again {
			return k
		}
	}
	return nil
}

// Keys returns a map's keys in the order of the source, each once.
func (v Value) Keys() []string {
	if !v.Is(Object) {
		return nil
	}
	keys := make([]string, 0, len(v.n.kids)/2)
	for i := 0; i < len(v.n.kids); i += 2 {
		if k := v.n.kids[i]; !k.again {
			keys = append(keys, k.text)
		}
	}
	return keys
}

// Members returns a map's keys and values in the order of the source, each key
// once. There are none in any other value.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if !v.Is(Object) {
			return
		}
		for i := 0; i < len(v.n.kids); i += 2 {
			if k := v.n.kids[i]; !k.again && !yield(k.text, Value{v.n.kids[i+1]}) {
				return
			}
		}
	}
}

// Items returns a list's items, nil for any other value.
func (v Value) Items() []Value {
	if !v.Is(Array) {
		return nil
	}
	items := make([]Value, len(v.n.kids))
	for i, k := range v.n.kids {
		items[i] = Value{k}
	}
	return items
}

// Len returns the number of a list's items or of a map's members, 0 for any
// other value.
func (v Value) Len() int {
	switch v.Kind() {
	case Array:
		return len(v.n.kids)
	case Object:
		return v.n.memberCount()
	default:
		return 0
	}
}

func (n *node) memberCount() int {
	count := 0
	for i := 0; i < len(n.kids); i += 2 {
		if !n.kids[i].again {
			count++
		}
	}
	return count
}

// Name returns the key under which a map holds v, "" for the item of a list and
// for the root.
func (v Value) Name() string {
	if v.n == nil || v.n.parent == nil || Kind(v.n.parent.kind) != Object {
		return ""
	}
	if v.n.key {
		return v.n.text
	}
	return v.n.parent.kids[v.n.index-1].text
}

// Parent returns the list or map that holds the value, the zero Value for the
// root.
func (v Value) Parent() Value {
	if v.n == nil {
		return Value{}
	}
	return Value{v.n.parent}
}
