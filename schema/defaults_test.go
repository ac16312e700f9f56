package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/types"
)

// filled is a value with the defaults of a schema.
func filled(t *testing.T, s *schema.Schema, value string) (string, error) {
	t.Helper()
	v, err := expr.Decode([]byte(value))
	if err != nil {
		t.Fatal(err)
	}
	err = s.FillDefaults(v, expr.Decode)
	b, _ := expr.Encode(v)
	return string(b), err
}

// Defaults are filled in wherever the schema holds for certain, and the type of what is
// filled says so.
func TestDefaults(t *testing.T) {
	const defs = `, "$defs": {"P": {"type": "object", "properties": {"n": {"default": 7}}}, "D": {"default": 5}, "R": {"properties": {"n": {"default": 1}, "next": {"$ref": "#/$defs/R"}}}, "S": {"properties": {"s": {"$ref": "#/$defs/S", "default": {}}, "n": {"default": 7}}}}`
	for _, tt := range []struct{ schema, value, want string }{
		{`"properties": {"a": {"default": 1}, "b": {"default": {"x": [null]}}}`, `{"c": 2}`, `{"c":2,"a":1,"b":{"x":[null]}}`},
		{`"properties": {"a": {"default": 1}}`, `{"a": null}`, `{"a":null}`},
		{`"properties": {"p": {"$ref": "#/$defs/P"}}`, `{"p": {}}`, `{"p":{"n":7}}`},
		{`"properties": {"d": {"$ref": "#/$defs/D"}}`, `{}`, `{"d":5}`},
		{`"properties": {"d": {"$ref": "#/$defs/D", "default": 6}}`, `{}`, `{"d":6}`},
		{`"$ref": "#/$defs/P"`, `{}`, `{"n":7}`},
		{`"allOf": [{"$ref": "#/$defs/P"}, {"properties": {"m": {"default": 2}}}]`, `{}`, `{"m":2,"n":7}`},
		{`"properties": {"p": {"allOf": [{"$ref": "#/$defs/P"}]}}`, `{"p": {"x": 1}}`, `{"p":{"x":1,"n":7}}`},
		{`"properties": {"l": {"type": "array", "items": {"$ref": "#/$defs/P"}}}`, `{"l": [{}, 3, {"n": 1}, [{}]]}`, `{"l":[{"n":7},3,{"n":1},[{}]]}`},
		{`"properties": {"l": {"prefixItems": [{}, {"$ref": "#/$defs/P"}], "items": {"$ref": "#/$defs/R"}}}`, `{"l": [{}, {}, {}]}`, `{"l":[{},{"n":7},{"n":1}]}`},
		{`"additionalProperties": {"$ref": "#/$defs/P"}, "properties": {"a": {}}`, `{"a": {}, "b": {}}`, `{"a":{},"b":{"n":7}}`},
		{`"$ref": "#/$defs/R"`, `{"next": {"next": {}}}`, `{"next":{"next":{"n":1},"n":1},"n":1}`},
		{`"anyOf": [{"properties": {"a": {"default": 1}}}], "if": {"properties": {"b": {"default": 1}}}`, `{}`, `{}`},
		{`"properties": {"p": {"default": {}, "properties": {"n": {"default": 1}}}}`, `{}`, `{"p":{"n":1}}`},
		{`"properties": {"p": {"default": {}, "$ref": "#/$defs/S"}}`, `{}`, `{"p":{"n":7,"s":{"n":7,"s":{}}}}`},
		{`"properties": {"a": {"default": 1}}`, `[{}]`, `[{}]`},
	} {
		s := schema.New([]byte(`{` + tt.schema + defs + `}`))
		got, err := filled(t, s, tt.value)
		if got != tt.want || err != nil {
			t.Errorf("%s of %s\n\tis %s (%v)\n\twant %s", tt.schema, tt.value, got, err, tt.want)
		}
		v, _ := expr.Decode([]byte(got))
		plain, _ := expr.Plain(v)
		if of := types.OfJSON(plain, true); len(s.CheckValue(plain)) == 0 && !types.Fits(of, s.FilledType()) {
			t.Errorf("%s gives %s, and its type is %s", tt.schema, of, s.FilledType())
		}
	}
	typed := schema.New([]byte(`{"type": "object", "properties": {"p": {"$ref": "#/$defs/P"}, "l": {"items": {"$ref": "#/$defs/P"}, "type": "array"}, "d": {"$ref": "#/$defs/D"}, "o": {"type": "string"}}` + defs + `}`))
	if got := typed.ArgumentType().String(); got != "{d: any, l?: [{n: any}], o?: string, p?: {n: any}}" {
		t.Error(got)
	}
}

// A schema that would take long to fill in is refused.
func TestDefaultsAreBounded(t *testing.T) {
	var parts []string
	for i := range 700 {
		parts = append(parts, fmt.Sprintf(`{"properties": {"a%d": {}, "l": {"items": {"properties": {"a%d": {"default": 1}}}}}}`, i, i))
	}
	s := schema.New([]byte(`{"allOf": [` + strings.Join(parts, ",") + `]}`))
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	_, err := filled(t, s, `{"l": [`+strings.Repeat("{},", 20_000)+`{}]}`)
	if err == nil || !strings.Contains(err.Error(), "the defaults of the schema cannot be filled in: that takes too many steps; simplify the schema, or send a smaller value") {
		t.Error(err)
	}
	large := `{"l": [` + strings.Repeat(`{"a":1,"c":{}},`, 20_000) + `{}]}`
	plain := schema.New([]byte(`{"properties": {"l": {"items": {"properties": {"a": {}, "b": {"default": 2}, "c": {"properties": {"d": {"default": 3}}}}}}}}`))
	if got, err := filled(t, plain, large); err != nil || strings.Count(got, `"b":2`) != 20_001 || strings.Count(got, `"d":3`) != 20_000 {
		t.Error(err)
	}
	var chain strings.Builder
	for i := range 30 {
		fmt.Fprintf(&chain, `, "d%d": {"properties": {"a": {"allOf": [{"$ref": "#/$defs/d%d"}]}, "b": {"default": 1}}, "allOf": [{"properties": {"a": {"$ref": "#/$defs/d%d"}}}]}`, i, i+1, i+1)
	}
	s = schema.New([]byte(`{"$ref": "#/$defs/d0", "$defs": {"d30": {}` + chain.String() + `}}`))
	if got, err := filled(t, s, strings.Repeat(`{"a":`, 30)+`{}`+strings.Repeat("}", 30)); err != nil || strings.Count(got, `"b":1`) != 30 {
		t.Error(got, err)
	}
}
