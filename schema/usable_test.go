package schema

import (
	"encoding/json"
	"strings"
	"testing"
)

// One odd keyword costs a schema that keyword, and nothing else of it.
func TestUsable(t *testing.T) {
	for _, tt := range []struct{ raw, want, without string }{
		{`{"type":"object","properties":{"a":{"type":"string","minLength":"1"},"b":{"type":"integer"}},"required":["a"]}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"]}`, "/properties/a/minLength"},
		{`{"properties":{"a/b":{"type":"string","required":true},"ü\"":{"const": 1.50}}}`, `{"properties":{"a/b":{"type":"string"},"ü\"":{"const":1.50}}}`, "/properties/a~1b/required"},
		{`{"type":"object","examples":{"x":1},"properties":{"a":{"type":"str"}}}`, `{"type":"object","properties":{"a":{}}}`, "/examples /properties/a/type"},
		{`{"properties":{"a":"a text","b":{"type":"null"}}}`, `{"properties":{"a":{},"b":{"type":"null"}}}`, "/properties/a"},
		{`{"anyOf":[{"type":"object","minProperties":-1},5],"properties":[]}`, `{"anyOf":[{"type":"object"},{}]}`, "/anyOf/0/minProperties /anyOf/1 /properties"},
		{`{"required":["a",1],"items":{"enum":7,"type":"string"}}`, `{"items":{"type":"string"}}`, "/items/enum /required"},
		{`{"additionalProperties":{"type":"object","properties":{"x":{"items":"no"}}}}`, `{"additionalProperties":{"type":"object","properties":{"x":{}}}}`, "/additionalProperties/properties/x/items"},
		{`{"type":"object","minItems":1.0}`, `{"type":"object","minItems":1.0}`, ""},
	} {
		usable, without, err := Usable(json.RawMessage(tt.raw))
		if err != nil || string(usable) != tt.want {
			t.Errorf("%s\n got %s, %v\nwant %s", tt.raw, usable, err, tt.want)
		}
		for at := range strings.FieldsSeq(tt.without) {
			if !strings.Contains(" "+strings.Join(without, " ")+" ", " "+at+" ") {
				t.Errorf("%s: left out are %q, want %s", tt.raw, without, at)
			}
		}
		if len(strings.Fields(tt.without)) != len(without) {
			t.Errorf("%s: left out are %q, want %s", tt.raw, without, tt.without)
		}
	}
	for _, raw := range []string{`5`, `[]`, `{`, `{"$ref":"https://example.com/x"}`, `{"$ref":"#/none"}`} {
		if usable, _, err := Usable(json.RawMessage(raw)); err == nil {
			t.Errorf("%s is usable as %s", raw, usable)
		}
	}
}
