package schema_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/types"
)

func of(text string) *schema.Schema { return schema.New(json.RawMessage(text)) }

func TestCheck(t *testing.T) {
	const person = `{"type":"object","additionalProperties":false,"required":["name","age"],"properties":{"name":{"type":"string","pattern":"^[a-z]+$"},"age":{"type":"integer","minimum":0,"maximum":150},"tags":{"type":"array","items":{"enum":["a","b"]}}}}`
	for _, c := range []struct {
		schema, value string
		want          []string // pointer, keyword, message
	}{
		{person, `{"name":"ada","age":36,"tags":["a"]}`, nil},
		{person, `{"age":36}`, []string{` required missing "name"`}},
		{person, `{}`, []string{` required missing "name", "age"`}},
		{person, `{"name":"ada","age":36,"nmae":1}`, []string{` additionalProperties unknown "nmae"`}},
		{person, `{"name":"ada","age":"x"}`, []string{`/age type got string, expected integer`}},
		{person, `{"name":"ada","age":-1}`, []string{`/age minimum got -1, expected at least 0`}},
		{person, `{"name":"ada","age":151}`, []string{`/age maximum got 151, expected at most 150`}},
		{person, `{"name":"Ada","age":1}`, []string{`/name pattern got "Ada", which does not match the pattern ^[a-z]+$`}},
		{person, `{"name":"ada","age":1,"tags":["a","c"]}`, []string{`/tags/1 enum got "c", expected one of "a", "b"`}},
		{person, `{"name":`, []string{` type the value is not JSON: unexpected EOF`}},
		{`{"properties":{"a/b":{"const":{"x":1}}}}`, `{"a/b":2}`, []string{`/a~1b const got 2, expected {"x":1}`}},
		{`{"properties":{"a":false}}`, `{"a":2}`, []string{`/a  no value is allowed here`}},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `true`, []string{` type got boolean, expected string or null`}},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{}`, []string{` type got object, expected string or null`}},
		{`{"anyOf":[{"type":"array"},{"type":"null"}]}`, `1`, []string{` type got number, expected array or null`}},
		{`{"anyOf":[{"type":"array"},{"type":"number"}]}`, `"x"`, []string{` type got string, expected array or number`}},
		{`{"anyOf":[{"type":"object"},{"type":"number"}]}`, `[1]`, []string{` type got array, expected object or number`}},
		{`{"anyOf":[{"type":"object"},{"type":"number"}]}`, `null`, []string{` type got null, expected object or number`}},
		{`{"oneOf":[{"type":"integer"},{"minimum":5}]}`, `7`, []string{` oneOf the value fits more than one of the alternatives, exactly one is allowed`}},
		{`{"anyOf":[{"type":"string"},{"properties":{"a":{"items":{"type":"integer"}}}}]}`, `{"a":[1,"x"]}`, []string{`/a/1 type got string, expected integer`}},
		{`{"type":"array","uniqueItems":true}`, `[1,2,1]`, []string{` uniqueItems items at 0 and 2 are equal`}},
		{`{"type":"array","uniqueItems":true,"items":{"type":"object"}}`, `[{"a":[1]},{"a":[2]}]`, nil},
		{`{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"integer"},"contains":{"const":3}}`, `["a",3]`, nil},
		{`{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`, `[1,"x"]`, []string{`/0 type got number, expected string`, `/1 type got string, expected integer`}},
		{`{"propertyNames":{"maxLength":2},"patternProperties":{"^x{1,3}":{"type":"null"}},"unevaluatedProperties":{"type":"integer"}}`, `{"xa":null,"b":1}`, nil},
		{`{"patternProperties":{"^x{1,3}":{"type":"null"}}}`, `{"xa":1}`, []string{`/xa type got number, expected null`}},
	} {
		s := of(c.schema)
		if s.Err() != nil {
			t.Fatalf("%s: %v", c.schema, s.Err())
		}
		var got []string
		for _, m := range s.Check([]byte(c.value)) {
			got = append(got, m.Pointer()+" "+m.Keyword+" "+m.Message)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s of %s:\n got %q\nwant %q", c.value, c.schema, got, c.want)
		}
	}
}

// However much is wrong with a value, what is reported of it is bounded.
func TestCheckReportsSome(t *testing.T) {
	value := "[" + strings.TrimSuffix(strings.Repeat("1,", 1000), ",") + "]"
	if found := of(`{"items":{"type":"string"}}`).Check([]byte(value)); len(found) == 0 || len(found) > 200 {
		t.Errorf("%d mismatches of 1000", len(found))
	}
}

func TestUnusableSchemas(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":`:                                       "the schema is not JSON",
		`{"type":"strng"}`:                               "not a valid JSON Schema: at /type",
		`{"$ref":"https://example.com/x.json"}`:          "refers to https://example.com/x.json, which is not fetched",
		`{"$ref":"#/$defs/none"}`:                        "/$defs/none",
		`{"title":"` + strings.Repeat("x", 1<<20) + `"}`: "at most 1048576 are read",
	} {
		err := schema.Verify(json.RawMessage(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "mem://") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
		s := of(text)
		if s.Err() == nil || s.Check([]byte(`1`)) != nil || !s.Type().IsUnknown() {
			t.Errorf("%.60s refuses a value, or has the type %s", text, s.Type())
		}
	}
}

func TestNoSchema(t *testing.T) {
	s := of(" \n")
	if s != nil || s.Err() != nil || s.Root() != nil || s.Check([]byte(`1`)) != nil || !s.Type().IsUnknown() {
		t.Error("what is not there does not accept everything")
	}
	if got := s.ArgumentType(); !got.Equal(types.Of(types.Object)) {
		t.Errorf("arguments without a schema are %s", got)
	}
}

// Who asks for the same text shares what was compiled; a text that changes hands is copied.
func TestSchemasAreShared(t *testing.T) {
	text := []byte(`{"type":"integer","title":"shared"}`)
	s := schema.New(text)
	copy(text[9:], `"boolean"`)
	if other := of(`{"type":"integer","title":"shared"}`); other != s {
		t.Error("the same text is read twice")
	}
	if s.Check([]byte(`1`)) != nil {
		t.Error("a schema changes with the bytes that it was read from")
	}
	large := `{"title":"` + strings.Repeat("x", 200<<10) + `"}`
	if first, second := of(large), of(large); first == second {
		t.Error("a large text is kept")
	}
}

func TestKeywords(t *testing.T) {
	n := of(`{"properties":{"b":{"type":"string"},"a":{"$ref":"#/$defs/a~1b","title":"mine"}},"required":["z","a","b"],"$defs":{"a/b":{"type":"integer","title":"theirs"},"list":[{"type":"null"}]}}`).Root()
	if got := n.PropertyNames(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("properties are %q", got)
	}
	if got := n.Required(); !slices.Equal(got, []string{"b", "a", "z"}) {
		t.Errorf("required are %q", got)
	}
	if !n.Requires("z") || n.Requires("c") {
		t.Error("what is required is wrong")
	}
	if a := n.Property("a").Resolve(); a.TypeName() != "integer" || a.Get("title").Text() != "mine" {
		t.Errorf("a reference with a title leads to %s", a.Raw())
	}
	if empty := of(`{}`).Root(); empty.PropertyNames() != nil || empty.Required() != nil {
		t.Error("an empty schema has properties")
	}
	for text, want := range map[string]string{
		`{"type":["string","null"]}`:                            "string",
		`{"type":["integer","number"]}`:                         "number",
		`{"type":["string","integer"]}`:                         "any",
		`{"type":[],"properties":{}}`:                           "object",
		`{"anyOf":[{"type":"string"},{"const":null}]}`:          "string",
		`{"oneOf":[{"enum":[1,2]},{"enum":[1.5]}]}`:             "number",
		`{"allOf":[{"title":"x"},{"items":{}}]}`:                "array",
		`{"const":[1]}`:                                         "array",
		`{"const":{"a":1}}`:                                     "object",
		`{"enum":[true,false]}`:                                 "boolean",
		`{"enum":["a",1]}`:                                      "any",
		`{"prefixItems":[]}`:                                    "array",
		`{"$ref":"#/$defs/x","$defs":{"x":{"type":"boolean"}}}`: "boolean",
		`{"$ref":"#/$defs/x/0","$defs":{"x":[{"type":"null"}]},"type":"string"}`: "string",
		`{"$ref":"other.json"}`: "any",
		`{}`:                    "any",
		`true`:                  "any",
	} {
		if got := of(text).Root().TypeName(); got != want {
			t.Errorf("%s is of type %s, want %s", text, got, want)
		}
	}
}

// samples are schemas with the value that is made for them, which they accept.
var samples = map[string]string{
	`{}`:                                                       `"…"`,
	`{"type":"null"}`:                                          `null`,
	`{"type":"boolean"}`:                                       `false`,
	`{"type":["null","integer"]}`:                              `0`,
	`{"type":"integer","minimum":3}`:                           `3`,
	`{"type":"integer","minimum":2.5}`:                         `3`,
	`{"type":"number","minimum":2.5}`:                          `2.5`,
	`{"type":"number","exclusiveMinimum":2}`:                   `3`,
	`{"type":"integer","exclusiveMinimum":2.5,"minimum":1}`:    `4`,
	`{"type":"integer","maximum":-4}`:                          `-4`,
	`{"type":"number","exclusiveMaximum":0}`:                   `-1`,
	`{"type":"number","exclusiveMaximum":-0.5}`:                `-1.5`,
	`{"type":"integer","maximum":4}`:                           `0`,
	`{"type":"integer","minimum":7,"multipleOf":5}`:            `10`,
	`{"type":"number","minimum":0.3,"multipleOf":0.25}`:        `0.5`,
	`{"type":"number","minimum":-7,"multipleOf":5}`:            `-5`,
	`{"type":"string"}`:                                        `"…"`,
	`{"type":"string","format":"date"}`:                        `"2025-01-01"`,
	`{"type":"string","minLength":3}`:                          `"………"`,
	`{"type":"string","format":"uri","maxLength":5}`:           `"https"`,
	`{"type":"string","pattern":"^[a-c]{2}$"}`:                 `"aa"`,
	`{"const":{"a":1}}`:                                        `{"a":1}`,
	`{"enum":["x","y"]}`:                                       `"x"`,
	`{"type":"integer","examples":[7]}`:                        `7`,
	`{"type":"integer","default":9}`:                           `9`,
	`{"type":["integer","null"],"default":null}`:               `0`,
	`{"type":"array"}`:                                         `[]`,
	`{"type":"array","minItems":2,"items":{"type":"integer"}}`: `[0,0]`,
	`{"type":"array","minItems":2,"prefixItems":[{"const":1}],"items":{"const":2}}`:                                                                                                                     `[1,2]`,
	`{"type":"object","properties":{"b":{"type":"integer"},"a":{"type":"string"},"c":{}},"required":["a","b"]}`:                                                                                         `{"b":0,"a":"…"}`,
	`{"type":"object","properties":{"path":{"type":"string"},"outDir":{"type":"string"},"log_path":{"type":"string"},"filePath":{"type":"string"}},"required":["path","outDir","log_path","filePath"]}`: `{"path":".","outDir":"…","log_path":".","filePath":"."}`,
	`{"anyOf":[{"type":"null"},{"type":"integer","minimum":5}]}`:                                                                                                                                        `5`,
	`{"oneOf":[{"const":"a"},{"const":"b"}]}`:                                                                                                                                                           `"a"`,
	`{"allOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},{"properties":{"b":{"type":"boolean"}},"required":["b"]}]}`:                                                     `{"a":0,"b":false}`,
	`{"type":"object","properties":{"c":{"type":"null"}},"required":["c"],"anyOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},{"required":["b"]}]}`:                                       `{"c":null,"a":0}`,
	`{"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"},"n":{"type":"integer"}},"required":["n"]}}}`:                                                           `{"n":0}`,
}

func TestSamples(t *testing.T) {
	for text, want := range samples {
		s := of(text)
		got := schema.Sample(s.Root())
		if string(got) != want {
			t.Errorf("a sample of %s is %s, want %s", text, got, want)
		}
		if found := s.Check(got); found != nil {
			t.Errorf("%s does not satisfy %s: %s", got, text, found[0].Message)
		}
		var v any
		if err := json.Unmarshal(got, &v); err != nil {
			t.Fatal(err)
		}
		if s.Err() == nil && !s.Type().Contains(v) {
			t.Errorf("%s is not in %s, the type of %s", got, s.Type(), text)
		}
	}
}

// Arguments that the schema refuses have no value, and are not said to be complete.
func TestArgumentsNobodyCanGuess(t *testing.T) {
	args, complete := schema.Arguments(of(`{"type":"object","properties":{"a":{"type":"string","not":{"const":"…"}},"b":{"type":"integer"}},"required":["a","b"],"not":{"required":["z"]}}`).Root())
	if complete || len(args) != 2 || args[0].Value != nil || string(args[1].Value) != "0" {
		t.Errorf("complete %t: %+v", complete, args)
	}
}

// Defaults are filled in before a run begins.
func TestArgumentType(t *testing.T) {
	s := of(`{"type":"object","additionalProperties":false,"required":["a"],"properties":{"a":{"type":"string"},"b":{"type":"integer","default":1},"c":{"type":"boolean"}}}`)
	if got, want := s.ArgumentType().String(), "{a: string, b: integer, c?: boolean}"; got != want {
		t.Errorf("arguments are %s, want %s", got, want)
	}
	if got, want := s.Type().String(), "{a: string, b?: integer, c?: boolean}"; got != want {
		t.Errorf("before that they are %s, want %s", got, want)
	}
}

func TestFault(t *testing.T) {
	s := of(`{"items":{"type":"string"}}`)
	f := schema.Fault("bad-argument", "the items are wrong", "/args", s.Check([]byte(`["a",1,2,3,4,5,6,7]`)))
	if f.Code != "bad-argument" || f.Path != "/args/1" || f.Want != "string" || fmt.Sprint(f.Got) != "1" {
		t.Errorf("%+v", f)
	}
	if want := "the items are wrong: at /1 got number, expected string; at /2 "; !strings.HasPrefix(f.Message, want) || !strings.HasSuffix(f.Message, "; and 2 more") {
		t.Errorf("the message is %s", f.Message)
	}
	f = schema.Fault("x", "m", "", of(`{"required":["a"]}`).Check([]byte(`{}`)))
	if f.Message != `m: at the top missing "a"` || f.Path != "" || f.Got != nil {
		t.Errorf("%+v", f)
	}
	long, _ := json.Marshal(strings.Repeat("x", 5000))
	f = schema.Fault("x", "m", "", of(`{"type":"integer"}`).Check(long))
	if b, err := json.Marshal(f.Got); err != nil || len(b) > schema.MaxShown+100 {
		t.Errorf("%d bytes of the value are shown, %v", len(b), err)
	}
	f = schema.Fault("x", "m", "", of(`{"additionalProperties":{"type":"integer"}}`).Check([]byte(`{`+string(long)+`:""}`)))
	if len(f.Path) > schema.MaxShown {
		t.Errorf("a path of %d bytes is shown", len(f.Path))
	}
}

func TestShortTexts(t *testing.T) {
	many := make([]any, 15)
	for i := range many {
		many[i] = i
	}
	if got, want := schema.CompactAll(many), "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, and 3 more"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := schema.CompactAll([]any{strings.Repeat("ü", 100)}); utf8.RuneCountInString(got) != 80 {
		t.Errorf("a long value is %s", got)
	}
	if got := schema.QuoteAll([]string{"a", `"`}); got != `"a", "\""` {
		t.Errorf("got %s", got)
	}
}
