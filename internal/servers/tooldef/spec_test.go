package tooldef

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/tests/spectest"
	"github.com/patchbay-mcp/patchbay/specs"
)

func toolWith(t testing.TB, schema string) *Tool {
	t.Helper()
	tool, err := Read("srv", json.RawMessage(`{"name":"do-it","title":"Do it","description":"Does it","inputSchema":`+schema+`}`), true)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func TestSpecParameters(t *testing.T) {
	s := Spec(toolWith(t, `{"type":"object","required":["path","mode"],"properties":{
		"path":{"type":"string","description":"where"},
		"mode":{"enum":["fast","slow"]},
		"depth":{"type":["integer","null"],"default":9007199254740993},
		"tags":{"$ref":"#/$defs/tags"},
		"either":{"anyOf":[{"type":"string"},{"type":"number"}]},
		"maybe":{"anyOf":[{"type":"boolean"},{"type":"null"}]},
		"code":{"type":"string","pattern":"^[a-z]+$"},
		"what":true},
		"$defs":{"tags":{"type":"array","items":{"type":"string"},"description":"labels"}}}`)).Whole()
	want := []specs.Parameter{
		{Name: "path", Type: "string", Required: true, Description: "where"},
		{Name: "mode", Type: "string", Required: true, EnumValues: []any{"fast", "slow"}},
		{Name: "depth", Type: "integer", DefaultValue: json.Number("9007199254740993")},
		{Name: "tags", Type: "array", Description: "labels"},
		{Name: "either", Type: "any"},
		{Name: "maybe", Type: "boolean"},
		{Name: "code", Type: "string", ValidationPattern: "^[a-z]+$"},
		{Name: "what", Type: "any"},
	}
	if diff := cmp.Diff(want, s.Parameters); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	if s.ID() != "mcp:srv/do-it" || s.Source != "server:srv" || len(s.Version) != HashPrefix || s.Title != "Do it" {
		t.Errorf("spec is %s, source %s, version %s, title %s", s.ID(), s.Source, s.Version, s.Title)
	}
	if want := `{"id":"do_it","type":"mcp","server":"srv","tool":"do-it","args":{"path":".","mode":"fast"},"next":"exit"}`; string(s.Skeleton) != want {
		t.Errorf("skeleton is %s\nwant        %s", s.Skeleton, want)
	}
}

// TestSkeletonLiterals wants a value that the schema accepts for everything a
// schema can demand, and a plain one where it demands little.
func TestSkeletonLiterals(t *testing.T) {
	for _, c := range []struct{ schema, want string }{
		{`{"type":"string"}`, `"…"`},
		{`{"type":"string","minLength":3}`, `"………"`},
		{`{"type":"string","maxLength":0}`, `""`},
		{`{"type":"string","format":"date-time"}`, `"2025-01-01T00:00:00Z"`},
		{`{"type":"string","pattern":"^[A-Z]{3}-\\d+(x|y)?$"}`, `"AAA-0"`},
		{`{"type":"string","pattern":"^(?!no)"}`, `"…"`},
		{`{"type":"string","examples":["an example"]}`, `"an example"`},
		{`{"type":"number","minimum":1.10}`, `1.10`},
		{`{"type":"integer","minimum":9007199254740993}`, `9007199254740993`},
		{`{"type":"integer","minimum":2.5}`, `3`},
		{`{"type":"integer","exclusiveMinimum":4}`, `5`},
		{`{"type":"integer","minimum":7,"multipleOf":5}`, `10`},
		{`{"type":"integer","maximum":-3}`, `-3`},
		{`{"type":"number","exclusiveMaximum":0}`, `-1`},
		{`{"type":"number","minimum":1e999999999}`, ``},
		{`{"type":"boolean"}`, `false`},
		{`{"type":"null"}`, `null`},
		{`{"const":{"b":1,"a":2}}`, `{"b":1,"a":2}`},
		{`{"type":"array","items":{"type":"string"}}`, `[]`},
		{`{"type":"array","items":{"type":"integer"},"minItems":2}`, `[0,0]`},
		{`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"boolean"},"c":{}},"required":["a","b"]}`, `{"b":"…","a":false}`},
		{`{"anyOf":[{"type":"null"},{"type":"object","properties":{"kind":{"const":"k"}},"required":["kind"]}]}`, `{"kind":"k"}`},
		{`{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"integer"}},"required":["b"]}]}`, `{"a":"…","b":0}`},
		{`{"$ref":"#/$defs/leaf"}`, `"leaf"`},
		{`{"$ref":"#/$defs/node"}`, `{"value":0}`},
		{`{"type":"integer","default":"seven"}`, `{"expr":"$.entry.x"}`},
		{`{"type":"array","minItems":2,"uniqueItems":true,"items":{"type":"integer"}}`, `{"expr":"$.entry.x"}`},
		{`{"$ref":"#/$defs/endless"}`, `{"expr":"$.entry.x"}`},
		{`{}`, `"…"`},
		{`true`, `"…"`},
	} {
		root := `{"type":"object","properties":{"x":` + c.schema + `},"required":["x"],"$defs":{"leaf":{"enum":["leaf"]},` +
			`"node":{"type":"object","properties":{"value":{"type":"integer"},"next":{"$ref":"#/$defs/node"}},"required":["value"]},` +
			`"endless":{"type":"object","properties":{"next":{"$ref":"#/$defs/endless"}},"required":["next"]}}}`
		tool := toolWith(t, root)
		s := Spec(tool).Whole()
		var node struct {
			Args map[string]json.RawMessage `json:"args"`
		}
		if err := json.Unmarshal(s.Skeleton, &node); err != nil {
			t.Fatalf("%s: skeleton %s: %v", c.schema, s.Skeleton, err)
		}
		got := string(node.Args["x"])
		if c.want != "" && got != c.want {
			t.Errorf("%s: %s, want %s", c.schema, got, c.want)
		}
		if strings.Contains(got, "$.entry.x") {
			continue
		}
		spectest.Arguments(t, tool.Name, tool.InputSchema, s.Examples[0].Arguments)
	}
}

func TestExampleNames(t *testing.T) {
	for _, name := range []string{"plain", "with-dash", "with.dot", "with space", "no", "exit", "entry", "9lives", "in", "ünï", "a/b", "null", "\"quoted\"", "{brace}", "a: b", "# c", "true"} {
		raw, _ := json.Marshal(map[string]any{"name": name, "inputSchema": map[string]any{"type": "object", "properties": map[string]any{name: map[string]any{"type": "string"}}, "required": []string{name}}})
		tool, err := Read("my-server", raw, false)
		if err != nil {
			t.Fatal(err)
		}
		spectest.Example(t, Spec(tool).Whole())
	}
}

func BenchmarkSpec(b *testing.B) {
	tool := toolWith(b, `{"type":"object","required":["path","mode"],"properties":{"path":{"type":"string","description":"where to look"},"mode":{"enum":["fast","slow"]},"depth":{"type":"integer","default":1},"tags":{"type":"array","items":{"type":"string"}}}}`)
	b.ReportAllocs()
	for b.Loop() {
		Spec(tool).Whole()
	}
}

func ExampleSpec() {
	tool := &Tool{Server: "geo", Name: "find", InputSchema: json.RawMessage(`{"type":"object","properties":{"place":{"type":"string"}},"required":["place"]}`)}
	fmt.Print(Spec(tool).Whole().Examples[0].Graph)
	// Output:
	// name: call_find
	// description: "Calls find of geo"
	// inputSchema: {type: object, properties: {place: {"type":"string"}}, required: [place]}
	// outputSchema: {type: object}
	// nodes:
	//   - {id: entry, type: entry, next: find}
	//   - {id: find, type: mcp, server: geo, tool: find, args: {place: {expr: "$.entry.place"}}, next: exit}
	//   - {id: exit, type: exit}
}

// An example of a tool is small whatever its schema requires.
func TestExampleIsSmall(t *testing.T) {
	var properties, required []string
	for i := range 30 {
		properties = append(properties, fmt.Sprintf(`"p%d":{"$ref":"#/$defs/d"}`, i))
		required = append(required, fmt.Sprintf(`"p%d"`, i))
	}
	object := `{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(required, ",") + `]`
	schema := object + `,"$defs":{"d":` + object + `}}}`
	spec := Spec(&Tool{Server: "s", Name: "wide", Hash: "0", InputSchema: json.RawMessage(schema)}).Whole()
	if n := len(spec.Skeleton); n > 40<<10 || !json.Valid(spec.Skeleton) {
		t.Errorf("the skeleton has %d bytes", n)
	}
	if n := len(spec.Examples[0].Graph); n > 40<<10 {
		t.Errorf("the example has %d bytes", n)
	}
}
