package types_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/patchbay-mcp/patchbay/types"
)

var kinds = []types.Kind{types.Null, types.Boolean, types.Integer, types.Fraction, types.String, types.Array, types.Object}

// A world makes random values and types of so few strings, numbers and names that
// many of the values are in many of the types.
type world struct{ *rand.Rand }

func (w world) value(depth int) any {
	n := 7
	if depth == 0 {
		n = 5
	}
	switch w.IntN(n) {
	case 0:
		return nil
	case 1:
		return w.IntN(2) == 0
	case 2:
		return float64(w.IntN(3))
	case 3:
		return float64(w.IntN(3)) + 0.5
	case 4:
		return string(rune('a' + w.IntN(3)))
	case 5:
		items := make([]any, w.IntN(3))
		for i := range items {
			items[i] = w.value(depth - 1)
		}
		return items
	}
	fields := map[string]any{}
	for _, name := range []string{"a", "b", "c"} {
		if w.IntN(2) == 0 {
			fields[name] = w.value(depth - 1)
		}
	}
	return fields
}

func (w world) typ(depth int) types.Type {
	var t types.Type
	for _, k := range kinds {
		switch {
		case w.IntN(3) > 0:
		case k == types.String && w.IntN(2) == 0:
			t = t.Or(types.Texts([]string{"c", "a", "b"}[w.IntN(3):]...))
		case k == types.Array && depth > 0 && w.IntN(3) > 0:
			items := types.ArrayOf(w.typ(depth - 1))
			items.NonEmpty = w.IntN(2) == 0
			t = t.Or(items)
		case k == types.Object && depth > 0 && w.IntN(4) > 0:
			var fields []types.Field
			for _, name := range []string{"c", "a", "b"} {
				if w.IntN(2) == 0 {
					fields = append(fields, types.Field{Name: name, Type: w.typ(depth - 1), Optional: w.IntN(2) == 0})
				}
			}
			t = t.Or(types.ObjectOf(w.IntN(2) == 0, fields...))
		default:
			t = t.Or(types.Of(k))
		}
	}
	return t
}

// sample makes random types, and random values of which about half are of the
// first: they are made after it.
func sample(t *testing.T, check func(w world, s, u types.Type, values []any)) {
	t.Helper()
	w := world{rand.New(rand.NewPCG(7, 11))}
	in := 0
	for range 3000 {
		s, u := w.typ(2), w.typ(2)
		var values []any
		for range 30 {
			v := w.value(2)
			values = append(values, v)
			if s.Contains(v) {
				in++
			}
		}
		check(w, s, u, values)
		if t.Failed() {
			return
		}
	}
	if in < 10_000 {
		t.Errorf("only %d of 90000 values are of their type: the sample proves little", in)
	}
}

func kindOf(v any) types.Kind { return types.OfJSON(v, true).Kinds }

func TestUnionHoldsBothSides(t *testing.T) {
	sample(t, func(_ world, s, u types.Type, values []any) {
		or := s.Or(u)
		for _, v := range values {
			if (s.Contains(v) || u.Contains(v)) && !or.Contains(v) {
				t.Errorf("%v is in %s or %s, but not in their union %s", v, s, u, or)
			}
			if k := kindOf(v); or.Has(k) != (s.Has(k) || u.Has(k)) {
				t.Errorf("the union of %s and %s is %s", s, u, or)
			}
		}
		if other := u.Or(s); !other.Equal(or) {
			t.Errorf("%s or %s is %s, the other way round %s", s, u, or, other)
		}
		if !s.Or(s).Equal(s) {
			t.Errorf("%s or itself is %s", s, s.Or(s))
		}
	})
}

func TestIntersectionHoldsWhatBothHold(t *testing.T) {
	sample(t, func(_ world, s, u types.Type, values []any) {
		and, flat := s.And(u), s.Only(types.Scalar) || u.Only(types.Scalar)
		for _, v := range values {
			both := s.Contains(v) && u.Contains(v)
			if both && !and.Contains(v) {
				t.Errorf("%v is in %s and %s, but not in their intersection %s", v, s, u, and)
			}
			if flat && !both && and.Contains(v) {
				t.Errorf("%v is in the intersection %s of %s and %s", v, and, s, u)
			}
			if and.Contains(v) && !s.Has(kindOf(v)) {
				t.Errorf("%v is in the intersection %s of %s and %s", v, and, s, u)
			}
		}
	})
}

func TestKindsTakenAwayAndAdded(t *testing.T) {
	sample(t, func(w world, s, _ types.Type, values []any) {
		k := kinds[w.IntN(len(kinds))]
		if w.IntN(2) == 0 {
			k |= kinds[w.IntN(len(kinds))]
		}
		for _, v := range values {
			of := kindOf(v)&k != 0
			if got, want := s.Without(k).Contains(v), s.Contains(v) && !of; got != want {
				t.Errorf("%s without %s: %v is in it: %t", s, types.Of(k), v, got)
			}
			if got, want := s.With(k).Contains(v), s.Contains(v) || of; got != want {
				t.Errorf("%s with %s: %v is in it: %t", s, types.Of(k), v, got)
			}
			if got, want := s.Limit(k).Contains(v), s.Has(kindOf(v)) && of; got != want {
				t.Errorf("%s limited to %s: %v is in it: %t", s, types.Of(k), v, got)
			}
		}
		if s.Only(k) != (s.Kinds != 0 && s.Without(k).Kinds == 0) {
			t.Errorf("%s is only %s: %t", s, types.Of(k), s.Only(k))
		}
	})
}

// The parts of a value are in the parts of its type.
func TestFieldsAndItemsOfValues(t *testing.T) {
	sample(t, func(_ world, s, _ types.Type, values []any) {
		for _, v := range values {
			if !s.Contains(v) {
				continue
			}
			switch v := v.(type) {
			case []any:
				for _, item := range v {
					if !s.Items().Contains(item) {
						t.Errorf("%v is in %s, but its item %v is not in %s", v, s, item, s.Items())
					}
				}
				if len(v) == 0 && s.SureItem() {
					t.Errorf("%s has a sure item, and holds []", s)
				}
			case map[string]any:
				for _, name := range []string{"a", "b", "c"} {
					f, listed := s.Field(name)
					value, there := v[name]
					if there && !f.Contains(value) || !there && !f.Has(types.Undefined) {
						t.Errorf("%v is in %s, but its field %s is not in %s", v, s, name, f)
					}
					if listed != slices.Contains(s.FieldNames(), name) {
						t.Errorf("%s lists %q: %t", s, s.FieldNames(), listed)
					}
				}
			}
		}
	})
}

// The type of a value holds it; the strict one holds nothing with another field.
func TestTypeOfAValue(t *testing.T) {
	w := world{rand.New(rand.NewPCG(3, 5))}
	for range 5000 {
		v := w.value(3)
		strict, loose := types.OfJSON(v, true), types.OfJSON(v, false)
		if !strict.Contains(v) || !loose.Contains(v) {
			t.Fatalf("%v is not in %s or %s", v, strict, loose)
		}
		if o, ok := v.(map[string]any); ok {
			more := map[string]any{"z": 1.0}
			maps.Copy(more, o)
			if strict.Contains(more) || !loose.Contains(more) {
				t.Fatalf("%v with another field: in the strict type %t, in the loose one %t", v, strict.Contains(more), loose.Contains(more))
			}
		}
	}
}

func TestEqual(t *testing.T) {
	different := []types.Type{
		{},
		types.Unknown(), types.Of(types.JSON), types.Of(types.Any), types.Of(types.String), types.Texts("a"), types.Texts("a", "b"),
		types.Of(types.Array), types.ArrayOf(types.Of(types.String)), types.ArrayOf(types.Texts("a")),
		{Kinds: types.Array, NonEmpty: true},
		types.ArrayWith(types.Of(types.String), []types.Type{types.Texts("a")}),
		types.ObjectOf(false), types.ObjectOf(true),
		types.ObjectOf(true, types.Field{Name: "a", Type: types.Of(types.String)}),
		types.ObjectOf(true, types.Field{Name: "a", Type: types.Of(types.Null)}),
		types.ObjectOf(true, types.Field{Name: "b", Type: types.Of(types.String)}),
		types.ObjectOf(true, types.Field{Name: "a", Type: types.Of(types.String), Optional: true}),
		types.ObjectOf(true, types.Field{Name: "a", Type: types.Of(types.String), Optional: true, OnlyPastEnd: true}),
		types.ObjectOf(true, types.Field{Name: "a", Type: types.Of(types.String)}, types.Field{Name: "b"}),
	}
	for i, s := range different {
		for j, u := range different {
			if s.Equal(u) != (i == j) {
				t.Errorf("%d: %s equals %d: %s is %t", i, s, j, u, s.Equal(u))
			}
		}
	}
	sample(t, func(_ world, s, u types.Type, values []any) {
		for _, v := range values {
			if s.Equal(u) && s.Contains(v) != u.Contains(v) {
				t.Errorf("%s equals %s, and only one holds %v", s, u, v)
			}
		}
	})
}
