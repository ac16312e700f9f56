package schema

import (
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds on a value that is made for a schema, which may be recursive and may ask
// for any number of items or characters.
const (
	maxSampleDepth  = 6
	maxSampleItems  = 64
	maxSampleValues = 300
	maxSampleBytes  = 16 << 10
	maxSampleSchema = 8 << 10 // bytes of a schema that is compiled to check a sample
)

// Sample returns a small value that satisfies a JSON Schema as far as its types,
// required properties, enums, defaults, formats and bounds say. Where the value
// would be large, parts of it are left out, and it does not satisfy its schema.
func Sample(n *Node) json.RawMessage {
	m := maker{}
	return m.value(n, "", 0)
}

// An Argument is a required property of an object schema with a value to show.
type Argument struct {
	Name   string
	Schema *Node           // nil when the property has none
	Value  json.RawMessage // nil when no value was found that the schema accepts
}

// Arguments makes a value for each required property of an object schema, in their
// order. complete reports whether the schema accepts them together.
func Arguments(n *Node) (args []Argument, complete bool) {
	m := maker{}
	for _, name := range n.Required() {
		property := n.Property(name)
		args = append(args, Argument{Name: name, Schema: property, Value: m.value(property, name, 0)})
	}
	if m.guesses(n); !m.unsure {
		return args, true
	}
	if m.full() || len(n.Raw()) > maxSampleSchema {
		return args, false
	}
	s := &Schema{Raw: n.Raw()}
	if s.Err() != nil {
		return args, true
	}
	found := s.Check(ArgumentsObject(args))
	for _, wrong := range found {
		if wrong.Keyword == "limit" {
			return args, false
		}
		for i := range args {
			if len(wrong.Path) > 0 && wrong.Path[0] == args[i].Name {
				args[i].Value = nil
			}
		}
	}
	return args, len(found) == 0
}

// ArgumentsObject writes arguments as a JSON object in their order.
func ArgumentsObject(args []Argument) json.RawMessage {
	b := []byte{'{'}
	for i, a := range args {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(appendQuoted(b, a.Name), ':'), a.Value...)
	}
	return append(b, '}')
}

func appendQuoted(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // what is not UTF-8 is replaced
	return b
}

// A maker makes values for schemas. It is unsure where it met a keyword whose
// demands it only guesses at: the value must then be checked.
type maker struct {
	unsure        bool
	values, bytes int // made so far
}

// full reports whether enough was made. What is left out is then an ellipsis.
func (m *maker) full() bool { return m.values >= maxSampleValues || m.bytes >= maxSampleBytes }

// charge counts the bytes of a part.
func (m *maker) charge(part json.RawMessage) json.RawMessage {
	m.bytes += len(part)
	return part
}

var ellipsis = json.RawMessage(`"…"`)

// value makes a value for a property of a name.
func (m *maker) value(n *Node, name string, depth int) json.RawMessage {
	if n == nil {
		return ellipsis
	}
	if m.full() {
		m.unsure = true
		return ellipsis
	}
	m.values++
	n = n.Resolve()
	if !n.IsObject() {
		m.unsure = m.unsure || n.kind() == 'f'
		return ellipsis
	}
	if given := m.given(n); given != nil {
		return m.charge(given)
	}
	m.guesses(n)
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		if parts := n.list(keyword); len(parts) > 0 && depth < maxSampleDepth {
			n = merge(n, keyword, parts)
		}
	}
	if c := n.Get("const"); c != nil {
		return m.charge(c.raw)
	}
	types := n.Types()
	kind := types[0]
	if i := slices.IndexFunc(types, func(t string) bool { return t != "null" }); i >= 0 {
		kind = types[i]
	}
	switch kind {
	case "null":
		return json.RawMessage(`null`)
	case "boolean":
		return json.RawMessage(`false`)
	case "integer", "number":
		return m.number(n, kind == "integer")
	case "array":
		return m.array(n, name, depth)
	case "object":
		return m.object(n, depth)
	}
	return m.charge(appendQuoted(nil, m.text(n, name)))
}

// given is a value that the schema itself names.
func (m *maker) given(n *Node) json.RawMessage {
	if c := n.Get("const"); c != nil {
		return c.raw
	}
	if values := n.list("enum"); len(values) > 0 {
		return values[0].value.raw
	}
	if values := n.list("examples"); len(values) > 0 {
		m.unsure = true
		return values[0].value.raw
	}
	if d := n.Get("default"); d != nil && d.kind() != 'n' {
		m.unsure = true
		return d.raw
	}
	return nil
}

// guessed are the keywords whose demands are not worked out.
var guessed = []string{
	"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "dependentRequired", "dependentSchemas", "minProperties", "contains",
	"uniqueItems", "propertyNames", "patternProperties",
}

func (m *maker) guesses(n *Node) {
	m.unsure = m.unsure || slices.ContainsFunc(guessed, func(keyword string) bool { return n.Get(keyword) != nil })
}

// merge adds to n what the first alternative that is not null, or each of its
// parts, demands.
func merge(n *Node, keyword string, parts []member) *Node {
	if keyword != "allOf" {
		first := slices.IndexFunc(parts, func(p member) bool { return p.value.Types()[0] != "null" })
		parts = parts[max(0, first):][:1]
	}
	out := n.with([]member{{keyword, nil}})
	for _, part := range parts {
		demands := slices.Clone(part.value.Resolve().parts())
		for i, d := range demands {
			if d.name == "properties" || d.name == "required" {
				demands[i].value = joined(out.Get(d.name), d.value)
			}
		}
		out = out.with(demands)
	}
	return out
}

// joined puts the members of two objects, or the items of two arrays, into one.
func joined(a, b *Node) *Node {
	switch {
	case a.Len() == 0:
		return b
	case b.Len() == 0 || a.kind() != b.kind():
		return a
	}
	out := &Node{raw: a.raw, doc: a.doc, members: slices.Concat(a.parts(), b.parts())}
	out.once.Do(func() {})
	return out
}

func (m *maker) object(n *Node, depth int) json.RawMessage {
	if depth >= maxSampleDepth {
		m.unsure = true
		return json.RawMessage(`{}`)
	}
	var args []Argument
	for _, name := range n.Required() {
		if m.full() {
			m.unsure = true
			break
		}
		m.bytes += len(name)
		args = append(args, Argument{Name: name, Value: m.value(n.Property(name), name, depth+1)})
	}
	return ArgumentsObject(args)
}

func (m *maker) array(n *Node, name string, depth int) json.RawMessage {
	least := n.Get("minItems").count()
	if least > maxSampleItems || least > 0 && depth >= maxSampleDepth {
		m.unsure, least = true, 0
	}
	first := n.list("prefixItems")
	b := []byte{'['}
	for i := range least {
		if i > 0 {
			b = append(b, ',')
		}
		item := n.Get("items")
		if i < len(first) {
			item = first[i].value
		}
		b = append(b, m.value(item, name, depth+1)...)
	}
	return append(b, ']')
}
