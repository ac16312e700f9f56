package clientcode

import (
	"encoding/json"
	"slices"

	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/schema"
)

// A shape is the type of a value as client code can write it. The zero shape is any
// value.
type shape struct {
	kind    kind
	literal string  // the JSON of the one value
	of      []shape // the alternatives of a union, or the items of a list
	fields  []field // of an object
	rest    *shape  // the other members of an object; nil if none are described
}

type kind int

const (
	anything kind = iota
	text
	number
	boolean
	null
	literal
	list
	object
	union
)

type field struct {
	name        string
	optional    bool
	description string
	shape       shape
}

// Bounds of what is written of one schema; below them values are of any type.
const (
	maxShapes   = 2000
	maxDepth    = 12
	maxLiterals = 100
	maxLiteral  = 200 // bytes of JSON
)

// A shapeReader reads one schema.
type shapeReader struct {
	read       int
	references []string // those being followed: a value within itself is of any type
}

func schemaShape(n *schema.Node) shape {
	r := &shapeReader{}
	return r.schema(n, 0)
}

// argumentsShape reads the schema of arguments, which are an object whatever it says.
func argumentsShape(raw json.RawMessage) shape {
	s := schemaShape(schema.Read(raw))
	if s.kind != object {
		return shape{kind: object, rest: &shape{}}
	}
	return s
}

func (r *shapeReader) schema(n *schema.Node, depth int) shape {
	if r.read++; r.read > maxShapes || depth > maxDepth || !n.IsObject() {
		return shape{}
	}
	if ref := n.Get("$ref").Text(); ref != "" {
		if slices.Contains(r.references, ref) {
			return shape{}
		}
		r.references = append(r.references, ref)
		defer func() { r.references = r.references[:len(r.references)-1] }()
		n = n.Resolve()
	}
	s := r.described(n, depth)
	if string(n.Get("nullable").Raw()) == "true" {
		s = unionShape([]shape{s, {kind: null}})
	}
	return s
}

func (r *shapeReader) described(n *schema.Node, depth int) shape {
	if c := n.Get("const"); c != nil {
		return literalShape(c)
	}
	if enum := n.Get("enum"); enum.Len() > 0 && enum.Len() <= maxLiterals {
		var values []shape
		for _, v := range enum.All() {
			values = append(values, literalShape(v))
		}
		return unionShape(values)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if list := n.Get(keyword); list.Len() > 0 && n.Get("properties") == nil && n.Get("items") == nil && r.tells(list) {
			var alternatives []shape
			for _, alternative := range list.All() {
				alternatives = append(alternatives, r.schema(alternative, depth+1))
			}
			return unionShape(alternatives)
		}
	}
	kinds := lists.Each(n.Types(), func(name string) shape { return r.typed(n, name, depth) })
	s := unionShape(kinds)
	for _, part := range n.Get("allOf").All() {
		s = both(s, r.schema(part, depth+1))
	}
	return s
}

// tells reports whether each alternative says what its values are. Those that only
// require properties restrict what the schema around them says.
func (r *shapeReader) tells(alternatives *schema.Node) bool {
	for _, alternative := range alternatives.All() {
		a := alternative.Resolve()
		if !a.IsObject() || slices.Equal(a.Types(), []string{"any"}) {
			return false
		}
	}
	return true
}

func (r *shapeReader) typed(n *schema.Node, name string, depth int) shape {
	switch name {
	case "string":
		return shape{kind: text}
	case "number", "integer":
		return shape{kind: number}
	case "boolean":
		return shape{kind: boolean}
	case "null":
		return shape{kind: null}
	case "array":
		return shape{kind: list, of: []shape{r.items(n, depth)}}
	case "object":
		return r.object(n, depth)
	}
	return shape{}
}

// items are the values of an array; those of a tuple are any of its items.
func (r *shapeReader) items(n *schema.Node, depth int) shape {
	items, tuple := n.Get("items"), n.Get("prefixItems")
	if !items.IsObject() && items.Len() > 0 {
		items, tuple = n.Get("additionalItems"), items
	}
	if tuple.Len() == 0 {
		return r.schema(items, depth+1)
	}
	var all []shape
	for _, item := range tuple.All() {
		all = append(all, r.schema(item, depth+1))
	}
	if items.IsObject() {
		all = append(all, r.schema(items, depth+1))
	}
	return unionShape(all)
}

// object reads the members. An object that lists its properties is taken to have no
// others unless it says so, so that a slip in a name is found.
func (r *shapeReader) object(n *schema.Node, depth int) shape {
	s := shape{kind: object}
	for name, property := range n.Properties() {
		s.fields = append(s.fields, field{name: name, optional: !n.Requires(name), description: described(property.Resolve().Get("description").Text()), shape: r.schema(property, depth+1)})
	}
	for _, name := range n.Required() {
		if n.Property(name) == nil {
			s.fields = append(s.fields, field{name: name})
		}
	}
	switch more := n.Get("additionalProperties"); {
	case more.IsObject():
		rest := r.schema(more, depth+1)
		s.rest = &rest
	case string(more.Raw()) == "true", n.Get("patternProperties") != nil, more == nil && n.Get("properties") == nil && len(s.fields) == 0:
		s.rest = &shape{}
	}
	return s
}

// literalShape is the type of one value: itself, or its JSON type where it is too long or
// not a scalar.
func literalShape(v *schema.Node) shape {
	raw := v.Raw()
	switch name := schema.JSONType(raw); {
	case name == "null":
		return shape{kind: null}
	case name == "object":
		return shape{kind: object, rest: &shape{}}
	case name == "array":
		return shape{kind: list, of: []shape{{}}}
	case name == "number":
		return shape{kind: number}
	case name == "integer" && len(raw) > 15:
		return shape{kind: number}
	case name == "string" && len(raw) > maxLiteral:
		return shape{kind: text}
	case name == "string":
		return shape{kind: literal, literal: quoted(v.Text())}
	}
	return shape{kind: literal, literal: string(raw)}
}
