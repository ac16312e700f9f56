package schema

import (
	"strconv"
	"strings"
	"testing"
)

func TestTypeOf(t *testing.T) {
	tests := []struct{ schema, want, note string }{
		{`{"type": "string"}`, `string`, ``},
		{`true`, `any`, ``},
		{`false`, `never`, ``},
		{`{}`, `any`, ``},
		{`{"type": ["string", "null"]}`, `string|null`, ``},
		{`{"type": "integer", "nullable": true}`, `integer|null`, ``},
		{`{"enum": ["b", "a", 1]}`, `"a"|"b"|integer`, ``},
		{`{"const": "x"}`, `"x"`, ``},
		{`{"type": "string", "enum": ["a", 1]}`, `"a"`, ``},
		{`{"type": "array", "items": {"type": "number"}}`, `[number]`, ``},
		{`{"type": "array"}`, `array`, ``},
		{`{"type": "array", "prefixItems": [{"type": "string"}], "items": false}`, `[string]`, ``},
		{`{"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "integer"}}, "required": ["b"]}`, `{a?: integer, b: string}`, ``},
		{`{"type": "object", "properties": {"a": true}, "required": ["z"]}`, `{a?: any, z: any}`, ``},
		{`{"$ref": "#/$defs/n", "$defs": {"n": {"type": "string"}}}`, `string`, ``},
		{`{"$ref": "#/definitions/a~1b", "definitions": {"a/b": {"type": "null"}}}`, `null`, ``},
		{`{"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": false}`, `{next?: {next?: any}}`, ``},
		{`{"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {"type": "integer"}}}]}`, `{a: string, b?: integer}`, ``},
		{`{"anyOf": [{"type": "string"}, {"type": "number"}]}`, `string|number`, ``},
		{`{"oneOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}, {"type": "object", "properties": {"b": {"type": "null"}}, "additionalProperties": false}]}`, `{a?: string, b?: null}`, ``},
		{`{"type": "number", "allOf": [{"type": "integer"}]}`, `integer`, ``},

		// what is odd allows anything, and says so
		{`{"$ref": "https://example.com/s.json"}`, `any`, `the reference "https://example.com/s.json" is not followed: only those within the schema are`},
		{`{"$ref": "#/nowhere"}`, `any`, `the reference "#/nowhere" has no target`},
		{`{"type": "strin"}`, `any`, `the type "strin" is not one of JSON Schema`},
		{`{"type": 3}`, `any`, `type is neither a string nor a list`},
		{`[`, `any`, `the schema is not JSON: unexpected end of JSON input`},
		{`3`, `any`, `a schema is neither an object nor a boolean`},
		{`{"type": "object", "properties": 3, "required": true, "items": "x", "allOf": {}, "enum": 1}`, `object`, ``},
	}
	for _, tt := range tests {
		got, note := TypeOf([]byte(tt.schema))
		if got.String() != tt.want || note != tt.note {
			t.Errorf("%s\nis %s (%s)\nwant %s (%s)", tt.schema, got, note, tt.want, tt.note)
		}
	}
}

func TestTypeOfStrictness(t *testing.T) {
	tests := []struct {
		schema string
		strict bool
	}{
		{`{"type": "object", "properties": {"a": true}, "additionalProperties": false}`, true},
		{`{"type": "object", "properties": {"a": true}}`, false},
		{`{"type": "object", "properties": {"a": true}, "additionalProperties": {"type": "string"}}`, false},
		{`{"type": "object", "patternProperties": {"^x": true}, "additionalProperties": false}`, false},
		{`{"anyOf": [{"type": "object", "additionalProperties": false}, {"type": "object"}]}`, false},
	}
	for _, tt := range tests {
		if got, _ := TypeOf([]byte(tt.schema)); got.Closed != tt.strict {
			t.Errorf("%s: strict is %t", tt.schema, got.Closed)
		}
	}
}

// A schema that grows without end when it is followed is cut off.
func TestTypeOfHostile(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"$ref": "#/$defs/0", "$defs": {`)
	for i := range 60 {
		b.WriteString(`"` + strconv.Itoa(i) + `": {"type": "object", "properties": {"l": {"$ref": "#/$defs/` + strconv.Itoa(i+1) + `"}, "r": {"$ref": "#/$defs/` + strconv.Itoa(i+1) + `"}}},`)
	}
	b.WriteString(`"60": true}}`)
	deep := strings.Repeat(`{"type":"array","items":`, 5000) + `true` + strings.Repeat(`}`, 5000)
	for _, source := range []string{b.String(), deep} {
		if s, note := TypeOf([]byte(source)); note == "" || s.Kinds == 0 {
			t.Errorf("%.60s…: %s, and nothing said", source, s)
		}
	}
}
