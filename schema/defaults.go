package schema

import (
	"bytes"
	"maps"
	"slices"
)

// stepsOfPart is how many further steps there are for each part of a value.
const stepsOfPart = 32

// An object is one that defaults are put into.
type object interface {
	Keys() []string
	Get(name string) (any, bool)
	Set(name string, value any)
}

// FillDefaults sets the properties that v lacks and that the schema gives a default: those of
// nested objects, of items and of other defaults too, also if "$ref" or "allOf" declares them.
// A default that is within itself is set once. What only some alternatives or conditions
// declare is not filled. The objects of v have the methods of [jsonata.Object], and decode
// reads a default into such a value. The error is for a schema and a value that are too
// expensive to fill.
func (s *Schema) FillDefaults(v any, decode func(text []byte) (any, error)) error {
	if s == nil || s.Err() != nil || !bytes.Contains(s.Raw, []byte(`"default"`)) {
		return nil
	}
	f := filler{decode: decode, left: baseSteps, within: map[*Node]bool{}, filled: map[*Node][]member{}}
	if f.fill(v, f.applied(s.Root())); f.left < 0 {
		return refuse(nil, "the defaults of the schema cannot be filled in: that takes too many steps; simplify the schema, or send a smaller value")
	}
	return nil
}

// A filler fills the defaults into one value.
type filler struct {
	decode func(text []byte) (any, error)
	left   int64              // steps
	within map[*Node]bool     // the defaults that are being filled
	filled map[*Node][]member // see filledProperties
}

// filledProperties are the properties of a schema that may have defaults.
func (f *filler) filledProperties(n *Node) []member {
	known, ok := f.filled[n]
	if !ok {
		for name, property := range n.Properties() {
			if bytes.Contains(property.raw, []byte(`"default"`)) || bytes.Contains(property.raw, []byte(`"$ref"`)) {
				known = append(known, member{name, property})
			}
		}
		f.filled[n] = known
	}
	return known
}

// applied returns the schemas that hold for every value for which these do.
func (f *filler) applied(schemas ...*Node) []*Node {
	var all []*Node
	seen := map[*Node]bool{}
	var add func(n *Node)
	add = func(n *Node) {
		if f.left--; !n.IsObject() || seen[n] || f.left < 0 {
			return
		}
		seen[n] = true
		all = append(all, n)
		add(n.target(n.Get("$ref").Text()))
		for _, part := range n.list("allOf") {
			add(part.value)
		}
	}
	for _, n := range schemas {
		add(n)
	}
	return all
}

func (f *filler) fill(v any, schemas []*Node) {
	if f.left < 0 {
		return
	}
	f.left += stepsOfPart - int64(len(schemas))
	switch v := v.(type) {
	case object:
		f.properties(v, schemas)
	case []any:
		f.items(v, schemas)
	}
}

func (f *filler) properties(v object, schemas []*Node) {
	of := map[string][]*Node{}
	add := func(name string, n *Node) {
		if f.left--; f.left >= 0 {
			of[name] = append(of[name], n)
		}
	}
	for _, n := range schemas {
		for _, property := range f.filledProperties(n) {
			add(property.name, property.value)
		}
		if rest := n.Get("additionalProperties"); rest.IsObject() && n.Get("patternProperties") == nil {
			for _, name := range v.Keys() {
				if n.Property(name) == nil {
					add(name, rest)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		all := f.applied(of[name]...)
		if member, there := v.Get(name); there {
			f.fill(member, all)
			continue
		}
		for _, n := range all {
			if f.left < 0 {
				return
			}
			given := n.Get("default")
			if given == nil {
				continue
			}
			f.left -= int64(4 + len(given.raw)>>3)
			if value, err := f.decode(given.Raw()); err == nil {
				v.Set(name, value)
				if !f.within[given] {
					f.within[given] = true
					f.left -= stepsOfPart // it is no part of v
					f.fill(value, all)
					delete(f.within, given)
				}
			}
			break
		}
	}
}

func (f *filler) items(items []any, schemas []*Node) {
	var tuples [][]member
	var rests []*Node
	for _, n := range schemas {
		tuple, rest := n.itemSchemas()
		tuples, rests = append(tuples, tuple), append(rests, rest)
	}
	all := f.applied(rests...)
	for i, item := range items {
		if f.left < 0 {
			return
		}
		of := all
		if slices.ContainsFunc(tuples, func(tuple []member) bool { return i < len(tuple) }) {
			one := slices.Clone(rests)
			for j, tuple := range tuples {
				if i < len(tuple) {
					one[j] = tuple[i].value
				}
			}
			of = f.applied(one...)
		}
		f.fill(item, of)
	}
}

// itemSchemas returns the schemas of the first items, and that of the others.
func (n *Node) itemSchemas() (tuple []member, rest *Node) {
	tuple, rest = n.list("prefixItems"), n.Get("items")
	if rest.kind() == '[' {
		tuple, rest = rest.parts(), n.Get("additionalItems")
	}
	return tuple, rest
}

// Default returns the default that a schema gives, also one that "$ref" or "allOf" declares,
// or nil.
func (n *Node) Default() *Node {
	for _, part := range (&filler{left: baseSteps}).applied(n) {
		if given := part.Get("default"); given != nil {
			return given
		}
	}
	return nil
}
