package expr

import (
	"slices"
	"strings"
)

// ShapeKind is a set of kinds of value.
type ShapeKind uint16

// The kinds of value. A number is an integer or a fraction.
const (
	ShapeUndefined ShapeKind = 1 << iota
	ShapeNull
	ShapeBoolean
	ShapeInteger
	ShapeFraction
	ShapeString
	ShapeArray
	ShapeObject
	ShapeFunction

	ShapeNumber  = ShapeInteger | ShapeFraction
	ShapeJSON    = ShapeNull | ShapeBoolean | ShapeNumber | ShapeString | ShapeArray | ShapeObject
	shapeAll     = ShapeJSON | ShapeUndefined | ShapeFunction
	shapeScalars = ShapeNull | ShapeBoolean | ShapeNumber | ShapeString
)

// A Shape is a set of values: those of any of its kinds, where strings, arrays
// and objects are limited further. The zero Shape is the empty set. Shapes are
// immutable.
type Shape struct {
	Kinds  ShapeKind
	Enum   []string     // the strings, sorted; nil: any
	Elem   *Shape       // what the items of arrays are; nil: anything
	Some   []Shape      // items that all arrays have, in some place
	Full   bool         // no array is empty
	Fields []ShapeField // of objects, by name; what is not listed is unknown, or absent if Strict
	Strict bool
	Missed bool // undefined, and null beside it, only where an index finds nothing, or nothing is known
}

// A ShapeField is a field of objects. An optional one may be absent; one that is
// missed, only as Shape.Missed says.
type ShapeField struct {
	Name     string
	Shape    Shape
	Optional bool
	Missed   bool
}

// Unknown returns the set of all values, undefined and functions among them.
func Unknown() Shape { return Shape{Kinds: shapeAll, Missed: true} }

// ShapeOf returns the set of all values of some kinds.
func ShapeOf(k ShapeKind) Shape { return Shape{Kinds: k} }

// ArrayOf returns the arrays of elem.
func ArrayOf(elem Shape) Shape { return Shape{Kinds: ShapeArray, Elem: pointer(elem)} }

// ObjectOf returns the objects with the given fields. Without strict they may
// have others, too.
func ObjectOf(strict bool, fields ...ShapeField) Shape {
	fields = slices.Clone(fields)
	slices.SortStableFunc(fields, func(a, b ShapeField) int { return strings.Compare(a.Name, b.Name) })
	return Shape{Kinds: ShapeObject, Fields: fields, Strict: strict}
}

// ArrayWith returns the arrays of elem in which some items are certain to be.
// Only items of one kind are kept of those, and few.
func ArrayWith(elem Shape, some []Shape) Shape {
	s := ArrayOf(elem)
	for _, item := range some {
		if len(s.Some) < maxSome && item.Kinds != 0 && !item.Has(ShapeUndefined|ShapeFunction) {
			s.Some = append(s.Some, item)
		}
	}
	return s
}

// texts returns the set of some strings.
func texts(values ...string) Shape {
	slices.Sort(values)
	return Shape{Kinds: ShapeString, Enum: slices.Compact(values)}
}

// pointer returns where s is kept as Elem: nil when it says nothing, as any JSON
// does.
func pointer(s Shape) *Shape {
	if s.With(ShapeUndefined | ShapeFunction).IsUnknown() {
		return nil
	}
	return &s
}

// IsUnknown reports whether s may be anything at all.
func (s Shape) IsUnknown() bool {
	return s.Kinds == shapeAll && s.Enum == nil && s.Elem == nil && len(s.Fields) == 0 && !s.Strict
}

// openKinds is how many of JSON's six kinds make a value one of which nothing is
// known: no schema that says something leaves as many.
const openKinds = 4

// IsOpen reports whether s may be nearly anything, so that a doubt about it would
// be a doubt about all that is not known.
func (s Shape) IsOpen() bool {
	n := 0
	for _, k := range []ShapeKind{ShapeNull, ShapeBoolean, ShapeNumber, ShapeString, ShapeArray, ShapeObject} {
		if s.Kinds&k != 0 {
			n++
		}
	}
	return n >= openKinds
}

// Has reports whether values of any of the kinds k are in s.
func (s Shape) Has(k ShapeKind) bool { return s.Kinds&k != 0 }

// Only reports whether s is not empty and all its values are of the kinds k.
func (s Shape) Only(k ShapeKind) bool { return s.Kinds != 0 && s.Kinds&^k == 0 }

// With returns s and all values of the kinds k.
func (s Shape) With(k ShapeKind) Shape { return s.Or(ShapeOf(k)) }

// Without returns s less all values of the kinds k.
func (s Shape) Without(k ShapeKind) Shape {
	s.Kinds &^= k
	if k&ShapeUndefined != 0 {
		s.Missed = false
	}
	if k&ShapeString != 0 {
		s.Enum = nil
	}
	if k&ShapeArray != 0 {
		s.Elem, s.Some, s.Full = nil, nil, false
	}
	if k&ShapeObject != 0 {
		s.Fields, s.Strict = nil, false
	}
	return s
}

// Items returns what the items of s's arrays are.
func (s Shape) Items() Shape {
	switch {
	case !s.Has(ShapeArray):
		return Shape{}
	case s.Elem == nil:
		return Unknown().Without(ShapeUndefined)
	}
	return *s.Elem
}

// nonempty reports whether there is at least one item in s, taken as a list.
func (s Shape) nonempty() bool { return !s.Has(ShapeUndefined) && (!s.Has(ShapeArray) || s.Full) }

// Field returns what field name of s's objects is, undefined where it may be
// absent, and whether it is listed.
func (s Shape) Field(name string) (Shape, bool) {
	if !s.Has(ShapeObject) {
		return Shape{}, false
	}
	i, ok := slices.BinarySearchFunc(s.Fields, name, func(f ShapeField, n string) int { return strings.Compare(f.Name, n) })
	switch {
	case ok && s.Fields[i].Optional:
		return s.Fields[i].Shape.Or(Shape{Kinds: ShapeUndefined, Missed: s.Fields[i].Missed}), true
	case ok:
		return s.Fields[i].Shape, true
	case s.Strict:
		return ShapeOf(ShapeUndefined), false
	}
	return Unknown(), false
}

// FieldNames returns the names of the listed fields, sorted.
func (s Shape) FieldNames() []string {
	names := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = f.Name
	}
	return names
}

// Equal reports whether s and t are written the same way.
func (s Shape) Equal(t Shape) bool {
	if s.Kinds != t.Kinds || s.Missed != t.Missed || s.Full != t.Full || s.Strict != t.Strict || len(s.Fields) != len(t.Fields) || !slices.Equal(s.Enum, t.Enum) || (s.Enum == nil) != (t.Enum == nil) {
		return false
	}
	if s.Elem != t.Elem && (s.Elem == nil || t.Elem == nil || !s.Elem.Equal(*t.Elem)) || !slices.EqualFunc(s.Some, t.Some, Shape.Equal) {
		return false
	}
	if len(s.Fields) == 0 || &s.Fields[0] == &t.Fields[0] {
		return true
	}
	return slices.EqualFunc(s.Fields, t.Fields, func(f, g ShapeField) bool {
		return f.Name == g.Name && f.Optional == g.Optional && f.Missed == g.Missed && f.Shape.Equal(g.Shape)
	})
}

// The bounds beyond which a shape says less instead of growing.
const (
	maxEnum       = 50
	maxShapeDepth = 16
	maxFields     = 2000
	maxSome       = 20
)

// Or returns the union, or a superset of it.
func (s Shape) Or(t Shape) Shape { return s.or(t, 0) }

func (s Shape) or(t Shape, depth int) Shape {
	if s.Kinds == 0 {
		return t
	}
	if t.Kinds == 0 {
		return s
	}
	out := Shape{Kinds: s.Kinds | t.Kinds}
	out.Missed = out.Has(ShapeUndefined) && (s.Missed || !s.Has(ShapeUndefined)) && (t.Missed || !t.Has(ShapeUndefined))
	switch {
	case !s.Has(ShapeString):
		out.Enum = t.Enum
	case !t.Has(ShapeString):
		out.Enum = s.Enum
	case s.Enum != nil && t.Enum != nil && len(s.Enum)+len(t.Enum) <= maxEnum:
		all := slices.Concat(s.Enum, t.Enum)
		slices.Sort(all)
		out.Enum = slices.Compact(all)
	}
	switch {
	case !s.Has(ShapeArray):
		out.Elem, out.Some, out.Full = t.Elem, t.Some, t.Full
	case !t.Has(ShapeArray):
		out.Elem, out.Some, out.Full = s.Elem, s.Some, s.Full
	case s.Elem != nil && t.Elem != nil && depth < maxShapeDepth:
		out.Elem = pointer(s.Elem.or(*t.Elem, depth+1))
		out.Full = s.Full && t.Full
	default:
		out.Full = s.Full && t.Full
	}
	switch {
	case !s.Has(ShapeObject):
		out.Fields, out.Strict = t.Fields, t.Strict
	case !t.Has(ShapeObject):
		out.Fields, out.Strict = s.Fields, s.Strict
	case depth < maxShapeDepth:
		out.Fields, out.Strict = s.orFields(t, depth)
	}
	return out
}

// orFields returns the fields of objects that are in s or in t. A field that
// only one lists is unknown unless the other is strict.
func (s Shape) orFields(t Shape, depth int) (fields []ShapeField, strict bool) {
	for i, j := 0, 0; i < len(s.Fields) || j < len(t.Fields); {
		var f ShapeField
		switch {
		case j == len(t.Fields) || i < len(s.Fields) && s.Fields[i].Name < t.Fields[j].Name:
			f = lone(s.Fields[i], t.Strict)
			i++
		case i == len(s.Fields) || t.Fields[j].Name < s.Fields[i].Name:
			f = lone(t.Fields[j], s.Strict)
			j++
		default:
			a, b := s.Fields[i], t.Fields[j]
			f = ShapeField{Name: a.Name, Shape: a.Shape.or(b.Shape, depth+1), Optional: a.Optional || b.Optional}
			f.Missed = f.Optional && (a.Missed || !a.Optional) && (b.Missed || !b.Optional)
			i++
			j++
		}
		fields = append(fields, f)
	}
	if len(fields) > maxFields {
		return nil, false
	}
	return fields, s.Strict && t.Strict
}

// lone is a field that only one side of a union lists. It stays listed, so that
// what is listed somewhere counts as known.
func lone(f ShapeField, otherStrict bool) ShapeField {
	f.Optional, f.Missed = true, false
	if !otherStrict {
		f.Shape = Unknown().Without(ShapeUndefined)
	}
	return f
}

// And returns the intersection, or a superset of it.
func (s Shape) And(t Shape) Shape { return s.and(t, 0) }

func (s Shape) and(t Shape, depth int) Shape {
	out := Shape{Kinds: s.Kinds & t.Kinds}
	out.Missed = out.Has(ShapeUndefined) && (s.Missed || t.Missed)
	if depth > maxShapeDepth {
		s.Kinds = out.Kinds
		return s
	}
	if out.Has(ShapeString) {
		switch {
		case s.Enum == nil:
			out.Enum = t.Enum
		case t.Enum == nil:
			out.Enum = s.Enum
		default:
			out.Enum = slices.DeleteFunc(slices.Clone(s.Enum), func(v string) bool { return !slices.Contains(t.Enum, v) })
			if len(out.Enum) == 0 {
				out.Kinds, out.Enum = out.Kinds&^ShapeString, nil
			}
		}
	}
	if out.Has(ShapeArray) {
		out.Full = s.Full || t.Full
		switch {
		case s.Elem == nil:
			out.Elem = t.Elem
		case t.Elem == nil:
			out.Elem = s.Elem
		default:
			out.Elem = pointer(s.Elem.and(*t.Elem, depth+1))
		}
	}
	if out.Has(ShapeObject) {
		out.Fields, out.Strict = s.andFields(t, depth)
	}
	return out
}

func (s Shape) andFields(t Shape, depth int) (fields []ShapeField, strict bool) {
	for _, f := range s.Fields {
		g, listed := t.Field(f.Name)
		if !listed && t.Strict {
			continue
		}
		if listed {
			f.Shape = f.Shape.and(g.Without(ShapeUndefined), depth+1)
			f.Optional = f.Optional && g.Has(ShapeUndefined)
		}
		fields = append(fields, f)
	}
	for _, g := range t.Fields {
		if _, listed := s.Field(g.Name); !listed && !s.Strict {
			fields = append(fields, g)
		}
	}
	slices.SortFunc(fields, func(a, b ShapeField) int { return strings.Compare(a.Name, b.Name) })
	return fields, s.Strict || t.Strict
}
