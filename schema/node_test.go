package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/specs"
)

func TestNode(t *testing.T) {
	n := Read(json.RawMessage(` {"type": "object", "required": ["z", "b", "a", 3], "properties": {"b": {"minItems": 2.0}, "a\u0062": true, "b": {"$ref": "#/$defs/x~1y", "title": "mine"}, "a": 1},
		"$defs": {"x/y": {"title": "theirs", "enum": [null, "\"", 1.5, {"k": []}]}}, "examples": [ ]}`))
	if got := slices.Collect(func(yield func(string) bool) {
		for name := range n.Properties() {
			if !yield(name) {
				return
			}
		}
	}); !slices.Equal(got, []string{"b", "ab", "a"}) {
		t.Errorf("properties are %q", got)
	}
	if got := n.Required(); !slices.Equal(got, []string{"b", "a", "z"}) {
		t.Errorf("required are %q", got)
	}
	b := n.Property("b").Resolve()
	if got := b.Get("title").Text(); got != "mine" {
		t.Errorf("title is %q", got)
	}
	if got := strings.Join(b.Types(), " "); got != "null string number object" {
		t.Errorf("types are %s", got)
	}
	if got := fmt.Sprint(b.Get("enum").Value()); got != `[<nil> " 1.5 map[k:[]]]` {
		t.Errorf("enum is %s", got)
	}
	if n.Get("examples").Len() != 0 || n.Get("nope") != nil || n.Get("nope").Get("more").Text() != "" || n.Get("type").Get("x") != nil {
		t.Error("what is absent has a value")
	}
}

// A schema with many members is read through an index, with the same result.
func TestNodeOfManyMembers(t *testing.T) {
	var members []string
	for i := range 3 * manyMembers {
		members = append(members, fmt.Sprintf(`"p%d":{"title":"%d"}`, i%(2*manyMembers), i))
	}
	n := Read(json.RawMessage(`{"properties":{` + strings.Join(members, ",") + `}}`))
	if got := n.Get("properties").Len(); got != 2*manyMembers {
		t.Errorf("%d properties", got)
	}
	for i, want := range map[int]int{0: 2 * manyMembers, manyMembers: manyMembers} {
		if got := n.Property(fmt.Sprintf("p%d", i)).Get("title").Text(); got != strconv.Itoa(want) {
			t.Errorf("p%d is %s, want %d", i, got, want)
		}
	}
	if n.Property("p999") != nil {
		t.Error("a property that is not there is found")
	}
}

// TestDamagedSchema reads every truncation of a schema, as a damaged cache would
// give it.
func TestDamagedSchema(*testing.T) {
	whole := `{"type":"object","properties":{"a\u0062":{"type":["string","null"],"pattern":"\\d+"},"c":{"minimum":1.5,"enum":[1,{"x":"}"}]}},"required":["ab"],"$ref":"#/properties/c"}`
	for i := range whole {
		n := Read(json.RawMessage(whole[:i]))
		Parameters(n)
		Sample(n)
		Arguments(n)
		n.typed()
	}
}

func TestParameters(t *testing.T) {
	got := Parameters(Read(json.RawMessage(`{"required":["mode"],"properties":{
		"depth":{"type":["integer","null"],"default":9007199254740993,"description":"how deep"},
		"mode":{"enum":["fast","slow"]},
		"tags":{"$ref":"#/$defs/tags"}},"$defs":{"tags":{"type":"array","pattern":"x"}}}`)))
	want := []specs.Parameter{
		{Name: "depth", Type: "integer", DefaultValue: json.Number("9007199254740993"), Description: "how deep"},
		{Name: "mode", Type: "string", Required: true, EnumValues: []any{"fast", "slow"}},
		{Name: "tags", Type: "array", ValidationPattern: "x"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Alternatives without any that accepts the made values are not complete.
func TestArgumentsAreChecked(t *testing.T) {
	for _, tt := range []struct {
		schema   string
		args     string
		complete bool
	}{
		{`{"required":["a"],"properties":{"a":{"type":"string"}}}`, `{"a":"…"}`, true},
		{`{"required":["a"],"properties":{"a":{"type":"integer","default":"x"}}}`, `{"a":}`, false},
		{`{"required":["a"],"properties":{"a":{}},"anyOf":[{"required":["b"]},{"required":["c"]}]}`, `{"a":"…"}`, false},
	} {
		args, complete := Arguments(Read(json.RawMessage(tt.schema)))
		if got := string(ArgumentsObject(args)); got != tt.args || complete != tt.complete {
			t.Errorf("%s: %s, complete %t", tt.schema, got, complete)
		}
	}
}
