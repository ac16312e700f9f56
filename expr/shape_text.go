package expr

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

var shapeWords = []struct {
	kind ShapeKind
	word string
}{
	{ShapeObject, "object"},
	{ShapeArray, "array"},
	{ShapeString, "string"},
	{ShapeNumber, "number"},
	{ShapeInteger, "integer"},
	{ShapeFraction, "number"},
	{ShapeBoolean, "boolean"},
	{ShapeNull, "null"},
	{ShapeUndefined, "nothing"},
	{ShapeFunction, "function"},
}

// String returns s in one line of at most about 200 characters: string,
// [integer], {name: string, age?: number}, string|null, "a"|"b", any.
func (s Shape) String() string {
	var b strings.Builder
	s.write(&b, 0)
	return b.String()
}

func (s Shape) write(b *strings.Builder, depth int) {
	if s.Kinds&^(ShapeUndefined|ShapeFunction) == ShapeJSON && s.Enum == nil && s.Elem == nil && len(s.Fields) == 0 {
		b.WriteString("any")
		return
	}
	if s.Kinds == 0 {
		b.WriteString("never")
		return
	}
	first, left := true, s.Kinds
	for _, w := range shapeWords {
		if left&w.kind != w.kind {
			continue
		}
		left &^= w.kind
		if !first {
			b.WriteByte('|')
		}
		first = false
		deep := depth > 3 || b.Len() > 200
		switch {
		case w.kind == ShapeString && len(s.Enum) > 0 && len(s.Enum) < 6 && !deep:
			for i, v := range s.Enum {
				if i > 0 {
					b.WriteByte('|')
				}
				b.WriteString(strconv.Quote(excerpt(v)))
			}
		case w.kind == ShapeArray && s.Elem != nil && !deep:
			b.WriteByte('[')
			s.Elem.write(b, depth+1)
			b.WriteByte(']')
		case w.kind == ShapeObject && len(s.Fields) > 0 && !deep:
			s.writeFields(b, depth)
		default:
			b.WriteString(w.word)
		}
	}
}

func (s Shape) writeFields(b *strings.Builder, depth int) {
	b.WriteByte('{')
	for i, f := range s.Fields {
		if i > 0 {
			b.WriteString(", ")
		}
		if b.Len() > 200 {
			b.WriteString("…")
			break
		}
		b.WriteString(f.Name)
		if f.Optional {
			b.WriteByte('?')
		}
		b.WriteString(": ")
		f.Shape.write(b, depth+1)
	}
	b.WriteByte('}')
}

// ShapeOfJSON returns the smallest shape of a decoded JSON value, as
// encoding/json decodes it; its objects are loose, or all strict.
func ShapeOfJSON(v any, strict bool) Shape {
	switch v := v.(type) {
	case nil:
		return ShapeOf(ShapeNull)
	case bool:
		return ShapeOf(ShapeBoolean)
	case float64:
		if v == math.Trunc(v) {
			return ShapeOf(ShapeInteger)
		}
		return ShapeOf(ShapeFraction)
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return ShapeOf(ShapeNumber)
		}
		return ShapeOfJSON(f, strict)
	case string:
		return texts(v)
	case []any:
		elem := Shape{}
		for _, item := range v {
			elem = elem.Or(ShapeOfJSON(item, strict))
		}
		s := ArrayOf(elem)
		s.Full = len(v) > 0
		return s
	case map[string]any:
		fields := make([]ShapeField, 0, len(v))
		for name, value := range v {
			fields = append(fields, ShapeField{Name: name, Shape: ShapeOfJSON(value, strict)})
		}
		return ObjectOf(strict, fields...)
	}
	return Unknown()
}

// Contains reports whether a decoded JSON value is in s. undefined is
// [ShapeUndefined] alone and has no value here.
func (s Shape) Contains(v any) bool {
	switch v := v.(type) {
	case nil:
		return s.Has(ShapeNull)
	case bool:
		return s.Has(ShapeBoolean)
	case float64:
		if v == math.Trunc(v) {
			return s.Has(ShapeInteger)
		}
		return s.Has(ShapeFraction)
	case string:
		return s.Has(ShapeString) && (s.Enum == nil || slices.Contains(s.Enum, v))
	case []any:
		return s.Has(ShapeArray) && (len(v) > 0 || !s.Full) && (s.Elem == nil || !slices.ContainsFunc(v, func(item any) bool { return !s.Elem.Contains(item) }))
	case map[string]any:
		return s.Has(ShapeObject) && s.containsObject(v)
	}
	return false
}

func (s Shape) containsObject(v map[string]any) bool {
	for _, f := range s.Fields {
		if value, ok := v[f.Name]; ok && !f.Shape.Contains(value) || !ok && !f.Optional && !f.Shape.Has(ShapeUndefined) {
			return false
		}
	}
	if s.Strict {
		for name := range v {
			if _, listed := s.Field(name); !listed {
				return false
			}
		}
	}
	return true
}
