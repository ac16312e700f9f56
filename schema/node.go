package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/plainjson"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A Node is one schema of a schema document, or any other JSON value in it, as it
// is written: keywords and properties keep their order. It describes and does not
// validate: what cannot be read counts as absent. A nil Node is an absent value,
// and its methods return nothing. Nodes are read when they are asked for, and safe
// for concurrent use.
type Node struct {
	raw json.RawMessage
	doc *document

	once    sync.Once
	members []member
	index   map[string]int // of the members, where they are many
}

// A document is the whole that a node is part of: where references begin, and what was
// found out about its schemas.
type document struct {
	root *Node

	mu    sync.Mutex
	types map[*Node][]string // see [Node.Types]; nil while they are worked out
}

// A member is one member of an object in the order of the text, or one item of an
// array, without a name.
type member struct {
	name  string
	value *Node
}

// manyMembers is how many members are looked up by an index.
const manyMembers = 32

// Read returns the schema of a text, nil when the text is empty.
func Read(raw json.RawMessage) *Node {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 {
		return nil
	}
	n := &Node{raw: raw, doc: &document{}}
	n.doc.root = n
	return n
}

// Raw returns the value as it is written.
func (n *Node) Raw() json.RawMessage {
	if n == nil {
		return nil
	}
	return n.raw
}

// kind is the first byte of the value: '{', '[', '"', 't', 'f', 'n', or that of a
// number; 0 of an absent one.
func (n *Node) kind() byte {
	if n == nil || len(n.raw) == 0 {
		return 0
	}
	return n.raw[0]
}

// IsObject reports whether the value is an object, as a schema with keywords is.
func (n *Node) IsObject() bool { return n.kind() == '{' }

// Get returns a member of an object, such as a keyword of a schema.
func (n *Node) Get(name string) *Node {
	if !n.IsObject() {
		return nil
	}
	members := n.parts()
	if i := n.find(name); i >= 0 {
		return members[i].value
	}
	return nil
}

// Len returns how many members or items the value has.
func (n *Node) Len() int { return len(n.parts()) }

// All yields the members of an object by name, or the items of an array, whose
// names are empty.
func (n *Node) All() iter.Seq2[string, *Node] {
	return func(yield func(string, *Node) bool) {
		for _, m := range n.parts() {
			if !yield(m.name, m.value) {
				return
			}
		}
	}
}

// Text returns the value of a string.
func (n *Node) Text() string {
	switch raw := n.Raw(); {
	case n.kind() != '"' || len(raw) < 2:
		return ""
	case bytes.IndexByte(raw, '\\') >= 0:
		var text string
		_ = json.Unmarshal(raw, &text)
		return text
	default:
		return intern(raw[1 : len(raw)-1])
	}
}

// Value returns the decoded value, numbers as json.Number; nil when it cannot be read.
func (n *Node) Value() any {
	if n == nil {
		return nil
	}
	var v any
	if plainjson.Decode(n.raw, &v) != nil {
		return nil
	}
	return v
}

// count returns the value of a keyword such as minItems: at least 0.
func (n *Node) count() int {
	if n == nil {
		return 0
	}
	f, _ := json.Number(n.raw).Float64()
	return int(max(0, min(f, 1<<31-1)))
}

// at returns what a JSON Pointer, as in the fragment of a reference, leads to.
func (n *Node) at(pointer string) *Node {
	for i, step := range strings.Split(pointer, "/") {
		if i == 0 { // what is before the first slash
			continue
		}
		n = n.step(step)
	}
	return n
}

// with returns an object with some members of n replaced or added.
func (n *Node) with(more []member) *Node {
	out := &Node{raw: n.raw, doc: n.doc, members: slices.Clone(n.parts())}
	for _, m := range more {
		if i := out.find(m.name); i >= 0 {
			out.members[i] = m
		} else {
			out.members = append(out.members, m)
		}
	}
	out.once.Do(func() {}) // it is read
	return out
}

// parts reads the members or items.
func (n *Node) parts() []member {
	if n == nil {
		return nil
	}
	n.once.Do(n.scan)
	return n.members
}

// Parameters returns the arguments that an object schema declares, in the author's
// order.
func Parameters(n *Node) []specs.Parameter {
	required := n.Required()
	params := make([]specs.Parameter, 0, n.Get("properties").Len())
	for name, property := range n.Properties() {
		p := property.Resolve()
		param := specs.Parameter{
			Name: name, Type: p.TypeName(),
			Description: p.Get("description").Text(), ValidationPattern: p.Get("pattern").Text(),
			DefaultValue: property.Default().Value(),
		}
		if len(required) > 0 && required[0] == name { // in the order of the properties
			param.Required, required = true, required[1:]
		}
		if enum := p.Get("enum"); enum != nil {
			param.EnumValues, _ = enum.Value().([]any)
		}
		params = append(params, param)
	}
	return params
}

// compact renders a value for a message, cut to a length people read.
func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return diag.Cut(string(b), 80)
}

// CompactAll writes values as short JSON, separated by commas.
func CompactAll(vs []any) string {
	parts := make([]string, 0, len(vs))
	for _, v := range vs[:min(len(vs), 12)] {
		parts = append(parts, compact(v))
	}
	if len(vs) > 12 {
		parts = append(parts, fmt.Sprintf("and %d more", len(vs)-12))
	}
	return strings.Join(parts, ", ")
}

// QuoteAll writes names in double quotes, separated by commas.
func QuoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = strconv.Quote(n)
	}
	return strings.Join(quoted, ", ")
}
