// Package types is the lattice of types that the checker infers with: a [Type] is
// a set of JSON values, undefined and functions. It unites, intersects and compares
// types and writes them for people. It knows neither JSON Schema nor expressions.
package types

import (
	"slices"
	"strings"
)

// Limit returns the part of s that is of the kinds k, for kinds without detail.
func (s Type) Limit(k Kind) Type {
	return Type{Kinds: s.Kinds & k, OnlyPastEnd: s.OnlyPastEnd && k&Undefined != 0}
}

// NoNumber reports whether s is a known set of texts without a number.
func (s Type) NoNumber() bool {
	return s.Only(String) && s.Enum != nil && !slices.ContainsFunc(s.Enum, func(v string) bool { return strings.ContainsAny(v, "0123456789") })
}

// WithoutText is s without one string.
func (s Type) WithoutText(text string) Type {
	i, ok := slices.BinarySearch(s.Enum, text)
	if !ok {
		return s
	}
	s.Enum = slices.Delete(slices.Clone(s.Enum), i, i+1)
	if len(s.Enum) == 0 {
		return s.Without(String)
	}
	return s
}

// HoldsFunction reports whether a function is known to be possible in s.
func (s Type) HoldsFunction(depth int) bool {
	if s.IsOpen() || depth > MaxDepth {
		return false
	}
	return s.Has(Function) || s.Has(Array) && s.Elem != nil && s.Elem.HoldsFunction(depth+1) ||
		slices.ContainsFunc(s.Fields, func(f Field) bool { return f.Type.HoldsFunction(depth + 1) })
}

// Kind is a set of kinds of value.
type Kind uint16

// The kinds of value. A number is an integer or a fraction.
const (
	Undefined Kind = 1 << iota
	Null
	Boolean
	Integer
	Fraction
	String
	Array
	Object
	Function

	Number = Integer | Fraction
	JSON   = Null | Boolean | Number | String | Array | Object
	Any    = JSON | Undefined | Function
	Scalar = Null | Boolean | Number | String
)

// A Type is a set of values: those of any of its kinds, where strings, arrays
// and objects are limited further. The zero Type is the empty set. Types are
// immutable.
type Type struct {
	Kinds       Kind
	size        int32    // at most how many types are in it, itself included; 0 is 1
	Enum        []string // the strings, sorted; nil: any
	Elem        *Type    // what the items of arrays are; nil: anything
	Known       []Type   // types of items that every array has, in some place
	NonEmpty    bool     // no array is empty
	Fields      []Field  // of objects, by name; what is not listed is unknown, or absent if Closed
	Closed      bool
	OnlyPastEnd bool // undefined, and null with it, only where an index is past the end, or nothing is known
}

// A Field is a field of objects. An optional one may be absent; with OnlyPastEnd,
// only as Type.OnlyPastEnd says.
type Field struct {
	Name        string
	Type        Type
	Optional    bool
	OnlyPastEnd bool
}

// Unknown returns the set of all values, undefined and functions among them.
func Unknown() Type { return Type{Kinds: Any, OnlyPastEnd: true} }

// Of returns the set of all values of some kinds.
func Of(k Kind) Type { return Type{Kinds: k} }

// ArrayOf returns the arrays of elem.
func ArrayOf(elem Type) Type {
	return Type{Kinds: Array, Elem: Pointer(elem)}.sized()
}

// ObjectOf returns the objects with the given fields. Unless closed they may
// have others, too.
func ObjectOf(closed bool, fields ...Field) Type {
	fields = slices.Clone(fields)
	slices.SortStableFunc(fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	return Type{Kinds: Object, Fields: fields, Closed: closed}.sized()
}

// ArrayWith returns the arrays of elem in which items of the known types are
// certain to be. Only the first few of those are kept, and none that may be undefined.
func ArrayWith(elem Type, known []Type) Type {
	s := ArrayOf(elem)
	for _, item := range known {
		if len(s.Known) < maxKnown && item.Kinds != 0 && !item.Has(Undefined|Function) {
			s.Known = append(s.Known, item)
		}
	}
	return s.sized()
}

// Texts returns the set of some strings.
func Texts(values ...string) Type {
	if len(values) == 0 {
		return Type{}
	}
	slices.Sort(values)
	return Type{Kinds: String, Enum: slices.Compact(values)}
}

// Pointer returns s as an Elem: nil for a type that says nothing, such as any JSON.
func Pointer(s Type) *Type {
	if s.With(Undefined | Function).IsUnknown() {
		return nil
	}
	return &s
}

// IsUnknown reports whether s may be anything at all.
func (s Type) IsUnknown() bool {
	return s.Kinds == Any && s.Enum == nil && s.Elem == nil && len(s.Fields) == 0 && !s.Closed
}

// openKinds is how many of JSON's six kinds a value may have for nothing to be known
// of it: no schema that says something leaves as many.
const openKinds = 4

// IsOpen reports whether s may be nearly anything, so that a possible mismatch says
// nothing.
func (s Type) IsOpen() bool {
	n := 0
	for _, k := range []Kind{Null, Boolean, Number, String, Array, Object} {
		if s.Kinds&k != 0 {
			n++
		}
	}
	return n >= openKinds
}

// Has reports whether values of any of the kinds k are in s.
func (s Type) Has(k Kind) bool { return s.Kinds&k != 0 }

// Only reports whether s is not empty and all its values are of the kinds k.
func (s Type) Only(k Kind) bool { return s.Kinds != 0 && s.Kinds&^k == 0 }

// With returns s and all values of the kinds k.
func (s Type) With(k Kind) Type { return s.Or(Of(k)) }

// Without returns s less all values of the kinds k.
func (s Type) Without(k Kind) Type {
	s.Kinds &^= k
	if k&Undefined != 0 {
		s.OnlyPastEnd = false
	}
	if k&String != 0 {
		s.Enum = nil
	}
	if k&Array != 0 {
		s.Elem, s.Known, s.NonEmpty = nil, nil, false
	}
	if k&Object != 0 {
		s.Fields, s.Closed = nil, false
	}
	return s
}

// Items returns what the items of s's arrays are.
func (s Type) Items() Type {
	switch {
	case !s.Has(Array):
		return Type{}
	case s.Elem == nil:
		return Unknown().Without(Undefined)
	}
	return *s.Elem
}

// Each returns what the items of s are, where a single value is its own item.
func (s Type) Each() Type { return s.Without(Array | Undefined).Or(s.Items()) }

// SureItem reports whether there is at least one item in s, taken as a list.
func (s Type) SureItem() bool { return !s.Has(Undefined) && (!s.Has(Array) || s.NonEmpty) }

// Field returns what field name of s's objects is, undefined where it may be
// absent, and whether it is listed.
func (s Type) Field(name string) (Type, bool) {
	if !s.Has(Object) {
		return Type{}, false
	}
	i, ok := slices.BinarySearchFunc(s.Fields, name, func(f Field, n string) int { return strings.Compare(f.Name, n) })
	switch {
	case ok && s.Fields[i].Optional:
		return s.Fields[i].Type.Or(Type{Kinds: Undefined, OnlyPastEnd: s.Fields[i].OnlyPastEnd}), true
	case ok:
		return s.Fields[i].Type, true
	case s.Closed:
		return Of(Undefined), false
	}
	return Unknown(), false
}

// FieldNames returns the names of the listed fields, sorted.
func (s Type) FieldNames() []string {
	names := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = f.Name
	}
	return names
}

// Equal reports whether s and t are written the same way.
func (s Type) Equal(t Type) bool {
	if s.Kinds != t.Kinds || s.OnlyPastEnd != t.OnlyPastEnd || s.NonEmpty != t.NonEmpty || s.Closed != t.Closed || len(s.Fields) != len(t.Fields) || !slices.Equal(s.Enum, t.Enum) || (s.Enum == nil) != (t.Enum == nil) {
		return false
	}
	if s.Elem != t.Elem && (s.Elem == nil || t.Elem == nil || !s.Elem.Equal(*t.Elem)) || !slices.EqualFunc(s.Known, t.Known, Type.Equal) {
		return false
	}
	if len(s.Fields) == 0 || &s.Fields[0] == &t.Fields[0] {
		return true
	}
	return slices.EqualFunc(s.Fields, t.Fields, func(f, g Field) bool {
		return f.Name == g.Name && f.Optional == g.Optional && f.OnlyPastEnd == g.OnlyPastEnd && f.Type.Equal(g.Type)
	})
}

// The bounds beyond which a type says less instead of growing.
const (
	maxEnum   = 50
	MaxDepth  = 16
	MaxFields = 2000
	maxKnown  = 20
)
