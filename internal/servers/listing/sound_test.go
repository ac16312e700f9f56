package listing

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// random makes schemas and values that have something to do with each other.
type random struct{ *rand.Rand }

func (r random) of(list ...string) string { return list[r.IntN(len(list))] }

func (r random) schema(depth int) string {
	if depth == 0 {
		return r.of(`true`, `{}`, `{"type":"string"}`, `{"type":"integer"}`, `{"const":"a"}`, `{"enum":["a",1,null]}`, `{"pattern":"(?i)^a"}`, `{"pattern":"^a"}`, `{"minimum":2}`, `{"type":"null"}`, `{"minLength":2}`, `false`)
	}
	var keywords []string
	for range 1 + r.IntN(3) {
		inner := func() string { return r.schema(depth - 1) }
		keywords = append(keywords, r.of(
			`"type":"`+r.of("object", "array", "string", "integer")+`"`,
			`"properties":{"a":`+inner()+`,"b c":`+inner()+`}`,
			`"patternProperties":{"`+r.of("(?i)a", "^a", "b")+`":`+inner()+`}`,
			`"additionalProperties":`+inner(), `"required":["`+r.of("a", "b c")+`"]`, `"propertyNames":`+inner(),
			`"items":`+inner(), `"prefixItems":[`+inner()+`]`, `"contains":`+inner(), `"uniqueItems":true`, `"minItems":1`,
			`"not":`+inner(), `"if":`+inner()+`,"then":`+inner()+`,"else":`+inner(),
			`"anyOf":[`+inner()+`,`+inner()+`]`, `"oneOf":[`+inner()+`,`+inner()+`]`, `"allOf":[`+inner()+`]`,
			`"$ref":"#/$defs/d"`, `"pattern":"\\Aa"`, `"enum":["a","\u202ea"]`, `"unevaluatedProperties":`+inner(), `"dependentSchemas":{"a":`+inner()+`}`, `"description":"d"`,
		))
	}
	return `{` + strings.Join(keywords, ",") + `}`
}

func (r random) value(depth int) any {
	if depth > 0 && r.IntN(3) > 0 {
		if r.IntN(3) == 0 {
			return []any{r.value(depth - 1), r.value(depth - 1)}[:r.IntN(3)]
		}
		out := map[string]any{}
		for range r.IntN(3) {
			out[r.of("a", "b c", "ab", "x")] = r.value(depth - 1)
		}
		return out
	}
	return []any{"a", "A", "", "b", json.Number("1"), json.Number("3"), nil, true, "\u202ea"}[r.IntN(9)]
}

func compiled(text string) (*jsonschema.Schema, error) {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("https://example.com/s.json", v); err != nil {
		return nil, err
	}
	return c.Compile("https://example.com/s.json")
}

// TestListedSchemasAcceptMore: whatever an author's schema accepts, the listed one does.
func TestListedSchemasAcceptMore(t *testing.T) {
	r := random{rand.New(rand.NewPCG(1, 2))}
	accepted, differ := 0, 0
	for n := range 1000 {
		text := `{"type":"object","properties":{"v":` + r.schema(3) + `},"$defs":{"d":` + r.schema(1) + `}}`
		whole, err := compiled(text)
		if err != nil { // of equal keywords
			continue
		}
		list := Input
		if n%2 == 0 {
			list = Output
		}
		listed, _ := list(json.RawMessage(text))
		less, err := compiled(string(listed))
		if err != nil {
			t.Fatalf("%s becomes %s: %v", text, listed, err)
		}
		if string(listed) != text {
			differ++
		}
		for range 30 {
			v := map[string]any{"v": r.value(3)}
			if whole.Validate(v) != nil {
				continue
			}
			accepted++
			if err := less.Validate(v); err != nil {
				t.Fatalf("%s accepts %v, and the listed %s does not: %v", text, fmt.Sprint(v), listed, err)
			}
		}
	}
	if accepted < 2000 || differ < 300 {
		t.Errorf("%d values were accepted, and %d schemas differ", accepted, differ)
	}
}
