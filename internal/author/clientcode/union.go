package clientcode

import (
	"cmp"
	"reflect"
	"slices"
)

// unionShape is the type of values that have one of some types.
func unionShape(of []shape) shape {
	var flat []shape
	for _, s := range of {
		alternatives := []shape{s}
		if s.kind == union {
			alternatives = s.of
		}
		for _, a := range alternatives {
			if a.kind == anything {
				return shape{}
			}
			if !slices.ContainsFunc(flat, func(b shape) bool { return reflect.DeepEqual(a, b) }) {
				flat = append(flat, a)
			}
		}
	}
	switch len(flat) {
	case 0:
		return shape{}
	case 1:
		return flat[0]
	}
	return shape{kind: union, of: flat}
}

// both is the type of values that have two types. Two objects have the members of
// both; of other types, one that says something is taken.
func both(a, b shape) shape {
	switch {
	case a.kind == anything:
		return b
	case b.kind == anything || a.kind != object || b.kind != object:
		return a
	}
	s := shape{kind: object, fields: slices.Clone(a.fields), rest: a.rest}
	if len(a.fields) == 0 || s.rest == nil {
		s.rest = b.rest
	}
	for _, f := range b.fields {
		at := slices.IndexFunc(s.fields, func(g field) bool { return g.name == f.name })
		if at < 0 {
			s.fields = append(s.fields, f)
			continue
		}
		g := &s.fields[at]
		g.optional = g.optional && f.optional
		g.shape = both(g.shape, f.shape)
		g.description = cmp.Or(g.description, f.description)
	}
	return s
}

// optional reports whether a call may leave its arguments out.
func (s *shape) allOptional() bool {
	return !slices.ContainsFunc(s.fields, func(f field) bool { return !f.optional })
}
