package types_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/types"
)

func object(strict bool, fields ...types.Field) types.Type { return types.ObjectOf(strict, fields...) }

func field(name string, t types.Type) types.Field { return types.Field{Name: name, Type: t} }

func TestText(t *testing.T) {
	nested := types.Of(types.Integer)
	for range 6 {
		nested = types.ArrayOf(nested)
	}
	for _, c := range []struct {
		t    types.Type
		want string
	}{
		{types.Type{}, "never"},
		{types.Unknown(), "any"},
		{types.Of(types.JSON), "any"},
		{types.Of(types.Number), "number"},
		{types.Of(types.Integer), "integer"},
		{types.Of(types.Fraction), "number"},
		{types.Of(types.Null | types.String), "string|null"},
		{types.Of(types.Undefined | types.Function | types.Boolean), "boolean|nothing|function"},
		{types.Texts("b", "a", "b"), `"a"|"b"`},
		{types.Texts("1", "2", "3", "4", "5", "6"), "string"},
		{types.Texts(strings.Repeat("ü", 50)), `"` + strings.Repeat("ü", 40) + `…"`},
		{types.Texts(`say "hi"`), `"say \"hi\""`},
		{types.ArrayOf(types.Of(types.Integer)), "[integer]"},
		{types.ArrayOf(types.Unknown()), "array"},
		{nested, "[[[[array]]]]"},
		{object(false), "object"},
		{object(true, field("b", types.Of(types.Number)), types.Field{Name: "a", Type: types.Of(types.String), Optional: true}), "{a?: string, b: number}"},
		{object(false, field("a", types.Texts("x"))).Or(types.Of(types.Null)), `{a: "x"}|null`},
	} {
		if got := c.t.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// However large a type is, its text is a line that a person reads.
func TestTextOfALargeType(t *testing.T) {
	var fields []types.Field
	for _, c := range "abcdefghijklmnopqrstuvwxyz" {
		fields = append(fields, field(strings.Repeat(string(c), 10), types.Texts(strings.Repeat(string(c), 30))))
	}
	deep := object(true, fields...)
	for range 5 {
		deep = object(true, field("first", deep), field("second", deep))
	}
	for _, large := range []types.Type{object(true, fields...), deep, types.ArrayOf(deep)} {
		if got := large.String(); len(got) > 300 {
			t.Errorf("%d bytes: %s", len(got), got)
		}
	}
}

func TestTypeOfJSON(t *testing.T) {
	for text, want := range map[string]string{
		`null`:                              "null",
		`2`:                                 "integer",
		`2.0`:                               "integer",
		`-0.5`:                              "number",
		`1e400`:                             "number",
		`12345678901234567890`:              "integer",
		`[]`:                                "[never]",
		`[1, "a", 2]`:                       `["a"|integer]`,
		`[{"a": 1}, {"a": "x", "b": true}]`: `[{a: "x"|integer, b?: boolean}]`,
	} {
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		if got := types.OfJSON(v, true).String(); got != want {
			t.Errorf("%s is of type %s, want %s", text, got, want)
		}
	}
	if s := types.OfJSON(struct{}{}, true); !s.IsUnknown() {
		t.Errorf("what JSON cannot be is %s", s)
	}
	if types.Unknown().Contains(struct{}{}) {
		t.Error("what is not JSON is in a type")
	}
}

func TestNamesInPaths(t *testing.T) {
	for name, want := range map[string]string{
		"name": "name", "größe_2": "größe_2", "_": "_", "λx": "λx", "order": "order",
		"": "``", "2x": "`2x`", "first name": "`first name`", "a.b": "`a.b`", "$x": "`$x`", "🐘": "`🐘`",
		"and": "`and`", "in": "`in`", "function": "`function`", "λ": "`λ`", "null": "`null`",
		"a`b": "\"a`b\"", "`\"\\\n\r\t": "\"`\\\"\\\\\\n\\r\\t\"",
	} {
		if got := types.QuoteName(name); got != want {
			t.Errorf("%q as a step is %s, want %s", name, got, want)
		}
		if got := types.PlainName(name); got != (name == want) {
			t.Errorf("%q is plain: %t", name, got)
		}
	}
}

func TestQuoteString(t *testing.T) {
	for _, s := range []string{"", "plain", "größe 🐘", "a\"b\\c\nd\te\rf", `\n`} {
		var back string
		if err := json.Unmarshal([]byte(types.QuoteString(s)), &back); err != nil || back != s {
			t.Errorf("%q is written %s, and read as %q (%v)", s, types.QuoteString(s), back, err)
		}
	}
}
