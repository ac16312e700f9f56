package types_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/patchbay-mcp/patchbay/types"
)

func TestNoStringsAreNoType(t *testing.T) {
	if s := types.Texts(); s.Kinds != 0 || s.Contains("a") {
		t.Errorf("the set of no strings is %s", s)
	}
	s := types.Texts("a", "b").WithoutText("a")
	if s.Contains("a") || !s.Contains("b") {
		t.Errorf("without one of two: %s", s)
	}
	if s = s.WithoutText("b"); s.Kinds != 0 {
		t.Errorf("without both: %s", s)
	}
	if s := types.Of(types.String).WithoutText("a"); !s.Equal(types.Of(types.String)) {
		t.Errorf("any string without one is %s: it cannot be said", s)
	}
	both := types.Texts("b", "a")
	if both.WithoutText("a"); !both.Contains("a") {
		t.Error("a type is changed by what is made of it")
	}
}

func TestTextsThatAreNotNumbers(t *testing.T) {
	for _, c := range []struct {
		t    types.Type
		want bool
	}{
		{types.Texts("a", "-"), true},
		{types.Texts("a", "7"), false},
		{types.Texts("1e3"), false},
		{types.Of(types.String), false},
		{types.Texts("a").With(types.Null), false},
		{types.Type{}, false},
	} {
		if got := c.t.NoNumber(); got != c.want {
			t.Errorf("%s: %t", c.t, got)
		}
	}
}

func TestOpenTypes(t *testing.T) {
	for _, c := range []struct {
		t             types.Type
		open, unknown bool
	}{
		{types.Unknown(), true, true},
		{types.Of(types.JSON), true, false},
		{types.Of(types.Scalar), true, false},
		{types.Of(types.String | types.Number | types.Null), false, false}, // the two sorts of number are one kind
		{types.Unknown().Without(types.Undefined), true, false},
		{types.Unknown().And(types.ObjectOf(true)).Or(types.Of(types.Any &^ types.Object)), true, false},
		{types.Type{}, false, false},
	} {
		if c.t.IsOpen() != c.open || c.t.IsUnknown() != c.unknown {
			t.Errorf("%s: open %t, unknown %t", c.t, c.t.IsOpen(), c.t.IsUnknown())
		}
	}
}

func TestFunctionsWithin(t *testing.T) {
	f := types.Of(types.Function)
	deep := f
	for range 2 * types.MaxDepth {
		deep = types.ArrayOf(deep)
	}
	for _, c := range []struct {
		t    types.Type
		want bool
	}{
		{f, true},
		{f.With(types.String), true},
		{types.ArrayOf(f), true},
		{types.ObjectOf(false, types.Field{Name: "a", Type: types.ArrayOf(f)}), true},
		{types.ObjectOf(false, types.Field{Name: "a", Type: types.Of(types.String)}), false},
		{types.Of(types.Array), false},
		{types.Unknown(), false}, // possible, and not known
		{deep, false},            // deeper than anything is followed
	} {
		if got := c.t.HoldsFunction(0); got != c.want {
			t.Errorf("%s holds a function: %t", c.t, got)
		}
	}
}

func TestItemsThatAreKnown(t *testing.T) {
	number := types.Of(types.Number)
	s := types.ArrayWith(number, []types.Type{types.Of(types.Integer), number.With(types.Undefined), {}, types.Of(types.Function)})
	if len(s.Known) != 1 || !s.Known[0].Equal(types.Of(types.Integer)) {
		t.Errorf("items that are certain to be there: %v", s.Known)
	}
	many := types.ArrayWith(number, slices.Repeat([]types.Type{number}, 100))
	if n := len(many.Known); n == 0 || n > 20 {
		t.Errorf("%d of 100 items are kept", n)
	}
	if w := s.Without(types.Array); w.Kinds != 0 || w.Known != nil || w.Elem != nil {
		t.Errorf("without arrays: %+v", w)
	}
}

func TestItemsAndFieldsOfOtherKinds(t *testing.T) {
	text := types.Of(types.String)
	if items := text.Items(); items.Kinds != 0 {
		t.Errorf("the items of a string are %s", items)
	}
	if items := types.Of(types.Array).Items(); !items.Has(types.JSON) || items.Has(types.Undefined) {
		t.Errorf("the items of any array are %s", items)
	}
	if f, listed := text.Field("a"); f.Kinds != 0 || listed {
		t.Errorf("the field of a string is %s", f)
	}
	if f, listed := types.ObjectOf(false).Field("a"); !f.IsUnknown() || listed {
		t.Errorf("a field that is not listed is %s", f)
	}
	if f, listed := types.ObjectOf(true).Field("a"); !f.Equal(types.Of(types.Undefined)) || listed {
		t.Errorf("a field that cannot be is %s", f)
	}
	for _, c := range []struct {
		t    types.Type
		want bool
	}{
		{text, true}, // as a list of one
		{text.With(types.Undefined), false},
		{types.Of(types.Array), false},
		{types.OfJSON([]any{1.0}, true), true},
	} {
		if c.t.SureItem() != c.want {
			t.Errorf("%s has a sure item: %t", c.t, c.t.SureItem())
		}
	}
}

// Where undefined comes only from behind the end of an array is kept as long as it
// is true of all that may be undefined.
func TestUndefinedPastTheEnd(t *testing.T) {
	past, missing := types.Type{Kinds: types.Undefined, OnlyPastEnd: true}, types.Of(types.Undefined)
	text := types.Of(types.String)
	optional := func(pastEnd bool) types.Type {
		return types.ObjectOf(true, types.Field{Name: "a", Type: text, Optional: true, OnlyPastEnd: pastEnd})
	}
	required := types.ObjectOf(true, types.Field{Name: "a", Type: text})
	field := func(s types.Type) types.Type { f, _ := s.Field("a"); return f }
	for name, c := range map[string]struct {
		t    types.Type
		want bool
	}{
		"a text or past the end":            {text.Or(past), true},
		"missing or past the end":           {missing.Or(past), false},
		"a text":                            {text.Or(text), false},
		"both past the end":                 {past.Or(past), true},
		"past the end and missing":          {past.And(missing), true},
		"past the end, limited":             {past.Or(text).Limit(types.Undefined), true},
		"past the end, limited to text":     {past.Or(text).Limit(types.String), false},
		"past the end, less undefined":      {past.Or(text).Without(types.Undefined), false},
		"an optional field":                 {field(optional(false)), false},
		"an optional field, past the end":   {field(optional(true)), true},
		"optional past the end or required": {field(optional(true).Or(required)), true},
		"optional or past the end":          {field(optional(true).Or(optional(false))), false},
		"required":                          {field(required.Or(required)), false},
		"of one side only":                  {field(optional(true).Or(types.ObjectOf(true))), false},
	} {
		if c.t.OnlyPastEnd != c.want {
			t.Errorf("%s: %s is undefined only past an end: %t", name, c.t, c.t.OnlyPastEnd)
		}
	}
}

// What grows beyond its bounds says less, and still holds all its values.
func TestBounds(t *testing.T) {
	s, o := types.Texts("0"), types.ObjectOf(true)
	for i := range types.MaxFields + 1 {
		s = s.Or(types.Texts(strconv.Itoa(i)))
	}
	if len(s.Enum) != 0 || !s.Contains("1") || !s.Contains("other") {
		t.Errorf("%d texts are %s", types.MaxFields+1, s)
	}
	var left, right []types.Field
	for i := range types.MaxFields/2 + 1 {
		left = append(left, types.Field{Name: fmt.Sprint("l", i), Type: types.Of(types.String)})
		right = append(right, types.Field{Name: fmt.Sprint("r", i), Type: types.Of(types.String)})
	}
	o = types.ObjectOf(true, left...).Or(types.ObjectOf(true, right...))
	if len(o.Fields) != 0 || !o.Contains(map[string]any{"any": 1.0}) {
		t.Errorf("two objects of many fields make one of %d", len(o.Fields))
	}
	nest := func(leaf types.Type) (types.Type, types.Type) {
		list, object := leaf, leaf
		for range 4 * types.MaxDepth {
			list, object = types.ArrayOf(list), types.ObjectOf(true, types.Field{Name: "a", Type: object})
		}
		return list, object
	}
	var list, tree any = 1.0, 1.0
	for range 4 * types.MaxDepth {
		list, tree = []any{list}, map[string]any{"a": tree}
	}
	texts, textTree := nest(types.Of(types.String))
	numbers, numberTree := nest(types.Of(types.Number))
	if or := texts.Or(numbers); !or.Contains(list) {
		t.Errorf("the union of deep arrays is %s", or)
	}
	if or := textTree.Or(numberTree); !or.Contains(tree) {
		t.Errorf("the union of deep objects is %s", or)
	}
	if and := numbers.And(numbers); !and.Contains(list) {
		t.Errorf("the intersection of deep arrays is %s", and)
	}
	if and := numberTree.And(numberTree); !and.Contains(tree) {
		t.Errorf("the intersection of deep objects is %s", and)
	}
}

func TestSchemaOf(t *testing.T) {
	text, number := types.Of(types.String), types.Of(types.Number)
	for _, c := range []struct {
		t    types.Type
		want string
	}{
		{types.Unknown(), `{}`},
		{types.Type{}, `{}`},
		{types.Of(types.Integer), `{"type":"integer"}`},
		{number, `{"type":"number"}`},
		{types.Of(types.Fraction | types.Null), `{"type":["null","number"]}`},
		{text.With(types.Undefined), `{"type":"string"}`},
		{types.ArrayOf(text), `{"items":{"type":"string"},"type":"array"}`},
		{types.ArrayOf(types.Type{}), `{"type":"array"}`},
		{types.ObjectOf(false), `{"type":"object"}`},
		{
			types.ObjectOf(true, types.Field{Name: "b", Type: text, Optional: true}, types.Field{Name: "a", Type: types.ArrayOf(number)}),
			`{"properties":{"a":{"items":{"type":"number"},"type":"array"},"b":{"type":"string"}},"required":["a"],"type":"object"}`,
		},
		{types.ObjectOf(false, types.Field{Name: "a", Type: text, Optional: true}), `{"properties":{"a":{"type":"string"}},"type":"object"}`},
	} {
		got, err := json.Marshal(types.SchemaOf(c.t))
		if err != nil || string(got) != c.want {
			t.Errorf("%s as a schema is %s, want %s (%v)", c.t, got, c.want, err)
		}
	}
}
