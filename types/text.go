package types

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// kindWords are the words for kinds of value, in the order in which they are written.
var kindWords = []struct {
	Kind Kind
	Word string
}{
	{Object, "object"},
	{Array, "array"},
	{String, "string"},
	{Number, "number"},
	{Integer, "integer"},
	{Fraction, "number"},
	{Boolean, "boolean"},
	{Null, "null"},
	{Undefined, "nothing"},
	{Function, "function"},
}

// Name returns the word for the first of the kinds k: "object", "array", "string",
// "number", "boolean", "null", "nothing" or "function", and "undefined" if there are
// none.
func (k Kind) Name() string {
	for _, w := range kindWords {
		if k&w.Kind != 0 {
			return w.Word
		}
	}
	return "undefined"
}

// String returns s in one line of at most about 200 characters: string,
// [integer], {name: string, age?: number}, string|null, "a"|"b", any.
func (s Type) String() string {
	var b strings.Builder
	s.write(&b, 0)
	return b.String()
}

func (s Type) write(b *strings.Builder, depth int) {
	if s.Kinds&^(Undefined|Function) == JSON && s.Enum == nil && s.Elem == nil && len(s.Fields) == 0 {
		b.WriteString("any")
		return
	}
	if s.Kinds == 0 {
		b.WriteString("never")
		return
	}
	first, left := true, s.Kinds
	for _, w := range kindWords {
		if left&w.Kind != w.Kind {
			continue
		}
		left &^= w.Kind
		if !first {
			b.WriteByte('|')
		}
		first = false
		deep := depth > 3 || b.Len() > 200
		switch {
		case w.Kind == String && len(s.Enum) > 0 && len(s.Enum) < 6 && !deep:
			for i, v := range s.Enum {
				if i > 0 {
					b.WriteByte('|')
				}
				b.WriteString(strconv.Quote(diag.Excerpt(v)))
			}
		case w.Kind == Array && s.Elem != nil && !deep:
			b.WriteByte('[')
			s.Elem.write(b, depth+1)
			b.WriteByte(']')
		case w.Kind == Object && len(s.Fields) > 0 && !deep:
			s.writeFields(b, depth)
		default:
			b.WriteString(w.Word)
		}
	}
}

func (s Type) writeFields(b *strings.Builder, depth int) {
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
		f.Type.write(b, depth+1)
	}
	b.WriteByte('}')
}

// OfJSON returns the smallest type of a decoded JSON value, as encoding/json decodes
// it; closed says whether its objects are.
func OfJSON(v any, closed bool) Type {
	switch v := v.(type) {
	case nil:
		return Of(Null)
	case bool:
		return Of(Boolean)
	case float64:
		if v == math.Trunc(v) {
			return Of(Integer)
		}
		return Of(Fraction)
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return Of(Number)
		}
		return OfJSON(f, closed)
	case string:
		return Texts(v)
	case []any:
		elem := Type{}
		for _, item := range v {
			elem = elem.Or(OfJSON(item, closed))
		}
		s := ArrayOf(elem)
		s.NonEmpty = len(v) > 0
		return s
	case map[string]any:
		fields := make([]Field, 0, len(v))
		for name, value := range v {
			fields = append(fields, Field{Name: name, Type: OfJSON(value, closed)})
		}
		return ObjectOf(closed, fields...)
	}
	return Unknown()
}

// Contains reports whether a decoded JSON value is in s. [Undefined]
// has no value here.
func (s Type) Contains(v any) bool {
	switch v := v.(type) {
	case nil:
		return s.Has(Null)
	case bool:
		return s.Has(Boolean)
	case float64:
		if v == math.Trunc(v) {
			return s.Has(Integer)
		}
		return s.Has(Fraction)
	case string:
		return s.Has(String) && (s.Enum == nil || slices.Contains(s.Enum, v))
	case []any:
		return s.Has(Array) && (len(v) > 0 || !s.NonEmpty) && (s.Elem == nil || !slices.ContainsFunc(v, func(item any) bool { return !s.Elem.Contains(item) }))
	case map[string]any:
		return s.Has(Object) && s.containsObject(v)
	}
	return false
}

func (s Type) containsObject(v map[string]any) bool {
	for _, f := range s.Fields {
		if value, ok := v[f.Name]; ok && !f.Type.Contains(value) || !ok && !f.Optional && !f.Type.Has(Undefined) {
			return false
		}
	}
	if s.Closed {
		for name := range v {
			if _, listed := s.Field(name); !listed {
				return false
			}
		}
	}
	return true
}
