package listing

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestListedSchema(t *testing.T) {
	for name, c := range map[string]struct {
		schema, want string
		notes        []string // beginnings
	}{
		"ordinary": {
			schema: `{"type":"object","properties":{"b":{"type":"string","pattern":"^[a-z]+$"},"a":{"type":"number","minimum":1.10}},"required":["b"],"additionalProperties":false}`,
			want:   `{"type":"object","properties":{"b":{"type":"string","pattern":"^[a-z]+$"},"a":{"type":"number","minimum":1.10}},"required":["b"],"additionalProperties":false}`,
		},
		"a property named as a keyword": {
			schema: `{"properties":{"pattern":{"const":"(?i)a"},"oneOf":{"enum":["x"]},"any":true}}`,
			want:   `{"type":"object","properties":{"pattern":{"const":"(?i)a"},"oneOf":{"enum":["x"]},"any":{}}}`,
		},
		"patterns": {
			schema: `{"type":"object","properties":{"ab":{"items":{"pattern":"(?i)abc","minLength":1}}},"patternProperties":{"^\\pL+$":{},"^x":{"type":"string"}},"additionalProperties":false}`,
			want:   `{"type":"object","properties":{"ab":{"items":{"minLength":1}}},"patternProperties":{"^x":{"type":"string"}}}`,
			notes:  []string{`inputSchema/properties/ab/items/pattern is left out of tools/list: JavaScript may not read the pattern "(?i)abc"`, `inputSchema/patternProperties/^\pL+$ is left out`, `inputSchema/additionalProperties is left out`},
		},
		"alternatives at the top": {
			schema: `{"type":"object","anyOf":[{"required":["a"]}],"oneOf":[{}],"allOf":[{}],"properties":{"a":{"anyOf":[{"type":"string"}]}},"unevaluatedProperties":false}`,
			want:   `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"}]}}}`,
			notes:  []string{"inputSchema/anyOf is left out", "inputSchema/oneOf is left out", "inputSchema/allOf is left out", "inputSchema/unevaluatedProperties is left out"},
		},
		"drafts": {
			schema: `{"$schema":"http://json-schema.org/draft-04/schema#","id":"http://example.com/x","type":"object","properties":{"n":{"minimum":1,"exclusiveMinimum":true}}}`,
			want:   `{"type":"object","properties":{"n":{"minimum":1}}}`,
			notes:  []string{"inputSchema/$schema is left out", "inputSchema/id is left out", "inputSchema/properties/n/exclusiveMinimum is left out"},
		},
		"what model APIs refuse": {
			schema: `{"type":"object","properties":{"all names":{"type":"array"},"names":{"type":"array"},"pair":{"type":["array","null"],"prefixItems":[{}]}},"required":["all names","names"],"additionalProperties":false}`,
			want:   `{"type":"object","properties":{"names":{"type":"array","items":{}},"pair":{"type":["array","null"],"prefixItems":[{}]}},"required":["names"]}`,
			notes:  []string{"inputSchema/properties/all names is left out of tools/list: model APIs refuse the name"},
		},
		"what cannot be seen": {
			schema: `{"type":"object","description":"a\u202eb","properties":{"n":{"title":"\u001b[1m","enum":["x","y\u200bz"],"default":{"k\u2066":["\r"]},"examples":["a\u2028"]},"c":{"const":"\udb40\udc41"},"p":{"pattern":"\u200d"},"d":{"not":{"const":"\u00ad"}},"e":{"enum":["é\n\t\\u200b"]}},"patternProperties":{"a\u200b":{}},"required":["n"],"additionalProperties":false}`,
			want:   `{"type":"object","description":"a\\u202eb","properties":{"n":{"title":"\\u001b[1m","default":{"k\\u2066":["\\u000d"]},"examples":["a\\u2028"]},"c":{},"p":{},"d":{},"e":{"enum":["é\n\t\\u200b"]}},"patternProperties":{},"required":["n"]}`,
			notes: []string{
				"inputSchema/properties/n/enum is left out of tools/list: it has characters", "inputSchema/properties/c/const", "inputSchema/properties/p/pattern", "inputSchema/properties/d/not/const", "inputSchema/properties/d/not is",
				"inputSchema/patternProperties/a", "inputSchema/additionalProperties",
			},
		},
		"present draft": {
			schema: `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}`,
			want:   `{"type":"object"}`,
		},
		"what would refuse more": {
			schema: `{"type":"object","properties":{"a":{"not":{"pattern":"\\A"}},"b":{"oneOf":[{"pattern":"\\A"},{"const":1}]},"c":{"if":{"pattern":"\\A"},"then":{"minLength":2}},"d":{"contains":{"pattern":"\\A"},"maxContains":1},"e":{"not":{"$ref":"#/$defs/e"}}},"$defs":{"e":{"pattern":"\\A"}}}`,
			want:   `{"type":"object","properties":{"a":{},"b":{"anyOf":[{},{"const":1}]},"c":{},"d":{},"e":{}},"$defs":{"e":{}}}`,
			notes: []string{
				"inputSchema/properties/a/not/pattern", "inputSchema/properties/a/not is", "inputSchema/properties/b/oneOf/0/pattern", "inputSchema/properties/c/if/pattern", "inputSchema/properties/c/if is",
				"inputSchema/properties/d/contains/pattern", "inputSchema/properties/d/contains is", "inputSchema/properties/e/not is", "inputSchema/$defs/e/pattern",
			},
		},
		"a reference into what is left out": {
			schema: `{"type":"object","anyOf":[{"required":["a"]}],"properties":{"a":{"$ref":"#/anyOf/0"}}}`,
			want:   `{"type":"object"}`,
			notes:  []string{`inputSchema: tools/list describes any object, since the reference "#/anyOf/0"`},
		},
	} {
		got, notes := Input(json.RawMessage(c.schema))
		if diff := cmp.Diff(c.want, string(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		for i, note := range notes {
			if i >= len(c.notes) || !strings.HasPrefix(note, c.notes[i]) {
				t.Errorf("%s: note %d is %s", name, i, note)
			}
		}
		if len(notes) < len(c.notes) {
			t.Errorf("%s: the notes are %q", name, notes)
		}
	}
}

// The schema of a result that is not an object is that of the property "result".
func TestListedResult(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"array","items":{"type":"string","pattern":"(?i)a"}}`:   `{"properties":{"result":{"type":"array","items":{"type":"string"}}},"required":["result"],"type":"object"}`,
		`{"type":"array","items":{"$ref":"#"}}`:                          `{"type":"object"}`,
		`{"type":"array","items":{"$ref":"#/$defs/a"},"$defs":{"a":{}}}`: `{"type":"object"}`,
	} {
		if got, _ := Output(json.RawMessage(schema)); string(got) != want {
			t.Errorf("%s: got %s, want %s", schema, got, want)
		}
	}
}
