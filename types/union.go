package types

import (
	"slices"
	"strings"
)

// Or returns the union, or a superset of it.
func (s Type) Or(t Type) Type { return s.or(t, 0) }

func (s Type) or(t Type, depth int) Type {
	if s.Kinds == 0 {
		return t
	}
	if t.Kinds == 0 {
		return s
	}
	out := Type{Kinds: s.Kinds | t.Kinds}
	out.OnlyPastEnd = out.Has(Undefined) && (s.OnlyPastEnd || !s.Has(Undefined)) && (t.OnlyPastEnd || !t.Has(Undefined))
	switch {
	case !s.Has(String):
		out.Enum = t.Enum
	case !t.Has(String):
		out.Enum = s.Enum
	case s.Enum != nil && t.Enum != nil && len(s.Enum)+len(t.Enum) <= maxEnum:
		all := slices.Concat(s.Enum, t.Enum)
		slices.Sort(all)
		out.Enum = slices.Compact(all)
	}
	switch {
	case !s.Has(Array):
		out.Elem, out.Known, out.NonEmpty = t.Elem, t.Known, t.NonEmpty
	case !t.Has(Array):
		out.Elem, out.Known, out.NonEmpty = s.Elem, s.Known, s.NonEmpty
	case s.Elem != nil && t.Elem != nil && depth < MaxDepth:
		out.Elem = Pointer(s.Elem.or(*t.Elem, depth+1))
		out.NonEmpty = s.NonEmpty && t.NonEmpty
	default:
		out.NonEmpty = s.NonEmpty && t.NonEmpty
	}
	switch {
	case !s.Has(Object):
		out.Fields, out.Closed = t.Fields, t.Closed
	case !t.Has(Object):
		out.Fields, out.Closed = s.Fields, s.Closed
	case depth < MaxDepth:
		out.Fields, out.Closed = s.orFields(t, depth)
	}
	return out.sized()
}

// orFields returns the fields of objects that are in s or in t. A field that
// only one lists is unknown unless the other is closed.
func (s Type) orFields(t Type, depth int) (fields []Field, closed bool) {
	for i, j := 0, 0; i < len(s.Fields) || j < len(t.Fields); {
		var f Field
		switch {
		case j == len(t.Fields) || i < len(s.Fields) && s.Fields[i].Name < t.Fields[j].Name:
			f = lone(s.Fields[i], t.Closed)
			i++
		case i == len(s.Fields) || t.Fields[j].Name < s.Fields[i].Name:
			f = lone(t.Fields[j], s.Closed)
			j++
		default:
			a, b := s.Fields[i], t.Fields[j]
			f = Field{Name: a.Name, Type: a.Type.or(b.Type, depth+1), Optional: a.Optional || b.Optional}
			f.OnlyPastEnd = f.Optional && (a.OnlyPastEnd || !a.Optional) && (b.OnlyPastEnd || !b.Optional)
			i++
			j++
		}
		fields = append(fields, f)
	}
	if len(fields) > MaxFields {
		return nil, false
	}
	return fields, s.Closed && t.Closed
}

// lone is a field that only one side of a union lists. It stays listed, so that
// what is listed somewhere counts as known.
func lone(f Field, otherClosed bool) Field {
	f.Optional, f.OnlyPastEnd = true, false
	if !otherClosed {
		f.Type = Unknown().Without(Undefined)
	}
	return f
}

// And returns the intersection, or a superset of it.
func (s Type) And(t Type) Type { return s.and(t, 0) }

func (s Type) and(t Type, depth int) Type {
	out := Type{Kinds: s.Kinds & t.Kinds}
	out.OnlyPastEnd = out.Has(Undefined) && (s.OnlyPastEnd || t.OnlyPastEnd)
	if depth > MaxDepth {
		s.Kinds = out.Kinds
		return s
	}
	if out.Has(String) {
		switch {
		case s.Enum == nil:
			out.Enum = t.Enum
		case t.Enum == nil:
			out.Enum = s.Enum
		default:
			out.Enum = slices.DeleteFunc(slices.Clone(s.Enum), func(v string) bool { return !slices.Contains(t.Enum, v) })
			if len(out.Enum) == 0 {
				out.Kinds, out.Enum = out.Kinds&^String, nil
			}
		}
	}
	if out.Has(Array) {
		out.NonEmpty = s.NonEmpty || t.NonEmpty
		switch {
		case s.Elem == nil:
			out.Elem = t.Elem
		case t.Elem == nil:
			out.Elem = s.Elem
		default:
			out.Elem = Pointer(s.Elem.and(*t.Elem, depth+1))
		}
	}
	if out.Has(Object) {
		out.Fields, out.Closed = s.andFields(t, depth)
	}
	return out.sized()
}

func (s Type) andFields(t Type, depth int) (fields []Field, closed bool) {
	for _, f := range s.Fields {
		g, listed := t.Field(f.Name)
		if !listed && t.Closed {
			continue
		}
		if listed {
			f.Type = f.Type.and(g.Without(Undefined), depth+1)
			f.Optional = f.Optional && g.Has(Undefined)
		}
		fields = append(fields, f)
	}
	for _, g := range t.Fields {
		if _, listed := s.Field(g.Name); !listed && !s.Closed {
			fields = append(fields, g)
		}
	}
	slices.SortFunc(fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return fields, s.Closed || t.Closed
}
