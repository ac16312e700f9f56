package engine_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
)

// typ is a type of the proof's graphs: what a JSON Schema is written from, values
// are drawn from and expressions are built for.
type typ struct {
	kind     string // string, enum, integer, number, boolean, array, object, union (string or integer), any
	enum     []string
	elem     *typ
	filled   bool // an array that is never empty
	fields   []*field
	strict   bool // an object without other fields
	nullable bool
}

type field struct {
	name     string
	t        *typ
	optional bool
	def      any // a default of the input schema, or nil
}

var (
	aString  = &typ{kind: "string"}
	anInt    = &typ{kind: "integer"}
	aNumber  = &typ{kind: "number"}
	aBoolean = &typ{kind: "boolean"}
	anything = &typ{kind: "any"}
)

func foreachItems(t *typ) *typ { return &typ{kind: "array", elem: t} }

func (t *typ) numeric() bool { return t.kind == "integer" || t.kind == "number" }

func (t *typ) textual() bool { return (t.kind == "string" || t.kind == "enum") && !t.nullable }

func (t *typ) field(name string) *field {
	for _, f := range t.fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

// fits reports whether every value of t is one of want.
func (t *typ) fits(want *typ) bool {
	if t.nullable && !want.nullable {
		return false
	}
	switch want.kind {
	case "any":
		return t.kind != "any"
	case "string":
		return t.kind == "string" || t.kind == "enum"
	case "number":
		return t.numeric()
	case "enum":
		return t.kind == "enum" && !slices.ContainsFunc(t.enum, func(s string) bool { return !slices.Contains(want.enum, s) })
	case "array":
		return t.kind == "array" && (t.filled || !want.filled) && t.elem.fits(want.elem)
	case "union":
		return t.kind == "union" || t.kind == "integer" || t.kind == "string" || t.kind == "enum"
	case "object":
		if t.kind != "object" || want.strict && !t.strict {
			return false
		}
		for _, w := range want.fields {
			f := t.field(w.name)
			if f == nil || f.optional && !w.optional || !f.t.fits(w.t) {
				return false
			}
		}
		return !want.strict || !slices.ContainsFunc(t.fields, func(f *field) bool { return want.field(f.name) == nil })
	}
	return t.kind == want.kind
}

// schema writes t as a JSON Schema.
func (t *typ) schema() map[string]any {
	s := map[string]any{}
	switch t.kind {
	case "any":
		return s
	case "enum":
		s["type"], s["enum"] = "string", t.enum
	case "union":
		return map[string]any{"anyOf": []any{map[string]any{"type": "string"}, map[string]any{"type": "integer"}}}
	case "array":
		s["type"], s["items"] = "array", t.elem.schema()
		if t.filled {
			s["minItems"] = 1
		}
	case "object":
		properties, required := map[string]any{}, []string{}
		for _, f := range t.fields {
			sub := f.t.schema()
			if f.def != nil {
				sub["default"] = f.def
			}
			properties[f.name] = sub
			if !f.optional && f.def == nil {
				required = append(required, f.name)
			}
		}
		s["type"], s["properties"], s["required"] = "object", properties, required
		if t.strict {
			s["additionalProperties"] = false
		}
	default:
		s["type"] = t.kind
	}
	if t.nullable {
		s["type"] = []string{s["type"].(string), "null"}
		if t.kind == "enum" {
			values := []any{nil}
			for _, v := range t.enum {
				values = append(values, v)
			}
			s["enum"] = values
		}
	}
	return s
}

func (t *typ) schemaText() string {
	b, err := json.Marshal(t.schema())
	if err != nil {
		panic(err)
	}
	return string(b)
}

var (
	proofNames = []string{"alpha", "brand", "city", "depth", "email", "flag", "grade", "height", "index", "jacket", "kettle", "label", "margin", "number", "owner", "price", "quota", "rate", "stock", "title", "unit", "volume", "weight", "yield", "zone", "amount", "budget", "client", "domain", "entries", "folder", "group", "member", "order", "parcel", "region", "score", "target"}
	proofWords = []string{"north", "south", "amber", "violet", "seven hills", "été", "42", "x,y", "a-b", "Zürich", "tiny", "", "naïve plan", "true"}
)

// names draws n different ones.
func names(r *rand.Rand, n int) []string {
	perm := r.Perm(len(proofNames))[:n]
	out := make([]string, n)
	for i, p := range perm {
		out[i] = proofNames[p]
	}
	return out
}

// scalarType draws a type without parts.
func scalarType(r *rand.Rand) *typ {
	switch r.IntN(12) {
	case 0, 1, 2:
		return aString
	case 3, 4:
		return anInt
	case 5, 6:
		return aNumber
	case 7:
		return aBoolean
	case 8:
		return &typ{kind: "string", nullable: true}
	case 9:
		return &typ{kind: "union"}
	}
	return &typ{kind: "enum", enum: names(r, 3)}
}

// anyType draws a type at most depth levels deep.
func anyType(r *rand.Rand, depth int) *typ {
	switch n := r.IntN(10); {
	case depth == 0 || n < 5:
		return scalarType(r)
	case n < 7:
		return objectType(r, depth-1, 1+r.IntN(3))
	case n == 7:
		t := foreachItems(scalarType(r))
		t.elem = plainOf(t.elem)
		t.filled = r.IntN(2) == 0
		return t
	}
	return &typ{kind: "array", elem: objectType(r, depth-1, 2+r.IntN(2)), filled: r.IntN(2) == 0}
}

// plainOf is t, or a string in place of a type whose items would be awkward.
func plainOf(t *typ) *typ {
	if t.nullable || t.kind == "union" {
		return aString
	}
	return t
}

func objectType(r *rand.Rand, depth, size int) *typ {
	t := &typ{kind: "object", strict: r.IntN(4) != 0}
	for _, name := range names(r, size) {
		t.fields = append(t.fields, &field{name: name, t: anyType(r, depth), optional: r.IntN(4) == 0})
	}
	return t
}

// value draws one of t's values.
func (t *typ) value(r *rand.Rand) any {
	if t.nullable && r.IntN(4) == 0 {
		return nil
	}
	switch t.kind {
	case "string":
		return proofWords[r.IntN(len(proofWords))]
	case "enum":
		return t.enum[r.IntN(len(t.enum))]
	case "integer":
		return r.IntN(30) - 5
	case "number":
		return float64(r.IntN(1000)-100) / 8
	case "boolean":
		return r.IntN(2) == 0
	case "union":
		if r.IntN(2) == 0 {
			return r.IntN(30)
		}
		return proofWords[r.IntN(len(proofWords))]
	case "array":
		n := r.IntN(4)
		if t.filled {
			n = 1 + r.IntN(3)
		}
		list := make([]any, n)
		for i := range list {
			list[i] = t.elem.value(r)
		}
		return list
	case "object":
		o := map[string]any{}
		for _, f := range t.fields {
			if !f.optional || r.IntN(2) == 0 {
				o[f.name] = f.t.value(r)
			}
		}
		if !t.strict && r.IntN(2) == 0 {
			o[fmt.Sprintf("extra%d", r.IntN(3))] = r.IntN(5)
		}
		return o
	}
	return []any{map[string]any{"status": "open", "left": 3}, "free text", 7, []any{1, "two"}}[r.IntN(4)]
}

// whole is t with every field there: what a constructor that leaves none out
// makes.
func (t *typ) whole() *typ {
	w := *t
	if t.elem != nil {
		w.elem = t.elem.whole()
	}
	w.fields = nil
	for _, f := range t.fields {
		w.fields = append(w.fields, &field{name: f.name, t: f.t.whole()})
	}
	return &w
}
