package drafting_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/author/drafting"
	"github.com/patchbay-mcp/patchbay/schema"
)

func value(t testing.TB, text string) expr.Value {
	t.Helper()
	v, err := expr.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func called(t testing.TB, tool, arguments, result string) drafting.Call {
	t.Helper()
	c := drafting.Call{Callee: drafting.Callee{Server: "s", Tool: tool, Input: schema.New(json.RawMessage(`{"type":"object"}`))}}
	c.Arguments, _ = value(t, arguments).(expr.Object)
	c.Result = value(t, result)
	return c
}

// argsOf are the args of the last node of a draft, as JSON.
func argsOf(t testing.TB, d *drafting.Draft) string {
	t.Helper()
	doc, _ := graph.Parse("draft", graph.Encode(d.Tool))
	nodes := doc.Root.Get("nodes").Items()
	return string(nodes[len(nodes)-2].Get("args").JSON())
}

// Whether a value is wired, and from where: of an output and an argument.
func TestWiring(t *testing.T) {
	for _, tt := range []struct{ name, output, argument, want string }{
		{"a text", `{"name":"Ada Lovelace"}`, `{"who":"Ada Lovelace"}`, `{"who":{"expr":"$.first.name"}}`},
		{"a large number", `{"total":1815}`, `{"n":1815}`, `{"n":{"expr":"$.first.total"}}`},
		{"another notation", `{"total":1815.0}`, `{"n":1815}`, `{"n":{"expr":"$.first.total"}}`},
		{"digits beyond a float64", `{"a":9007199254740993,"b":9007199254740992}`, `{"n":9007199254740993}`, `{"n":{"expr":"$.first.a"}}`},
		{"a small number of another name", `{"total":7}`, `{"issue":7}`, `{"issue":{"expr":"$.entry.issue"}}`},
		{"a small number of the same name", `{"number":7}`, `{"issueNumber":7}`, `{"issueNumber":{"expr":"$.first.number"}}`},
		{"a short text", `{"to":"at"}`, `{"land":"at"}`, `{"land":{"expr":"$.entry.land"}}`},
		{
			"true, null, zero and nothing", `{"a":true,"b":null,"c":0,"d":"","e":[],"f":{}}`, `{"a":true,"b":null,"c":0,"d":"","e":[],"f":{}}`,
			`{"a":{"expr":"$.entry.a"},"b":{"expr":"$.entry.b"},"c":{"expr":"$.entry.c"},"d":{"expr":"$.entry.d"},"e":{"expr":"$.entry.e"},"f":{"expr":"$.entry.f"}}`,
		},
		{"an object in another order", `{"at":{"x":1,"y":2}}`, `{"p":{"y":2,"x":1}}`, `{"p":{"expr":"$.first.at"}}`},
		{"a list", `{"tags":["a","b"]}`, `{"labels":["a","b"]}`, `{"labels":{"expr":"$.first.tags"}}`},
		{"inside", `{"name":"Ada"}`, `{"user":{"name":"Ada","admin":true}}`, `{"user":{"name":{"expr":"$.first.name"},"admin":{"expr":"$.entry.admin"}}}`},
		{"a member of each item", `{"users":[{"id":"u1"},{"id":"u2"}]}`, `{"ids":["u1","u2"]}`, `{"ids":{"expr":"[$.first.users.id]"}}`},
		{
			"a part of each line", `"[FILE] a.txt\n[DIR] b\n[FILE] c.txt"`, `{"paths":["in/a.txt","in/c.txt"]}`,
			`{"paths":{"expr":"[$split($.first, \"\\n\")[$contains(\"[FILE]\")].(\"in/\" & $substringAfter($, \"] \"))]"}}`,
		},
		{"a whole output", `"Hello there"`, `{"text":"Hello there"}`, `{"text":{"expr":"$.first"}}`},
		{"a name with a hyphen", `{"user-id":"u_77"}`, `{"id":"u_77"}`, "{\"id\":{\"expr\":\"$.first.`user-id`\"}}"},
		{"a JSON text", `{"body":"{\"id\": \"u_77\"}"}`, `{"id":"u_77"}`, `{"id":{"expr":"$eval($.first.body).id"}}`},
		{"after a label", `"Name: Ada\nBorn: 1815-12-10"`, `{"day":"1815-12-10"}`, `{"day":{"expr":"$substringBefore($substringAfter($.first, \"Born: \"), \"\\n\")"}}`},
		{"a link", `"See (https://example.com/x)."`, `{"url":"https://example.com/x"}`, `{"url":{"expr":"$match($.first, /https?:\\/\\/[\\w\\/?=&%#~:@+.-]*[\\w\\/]/)[0].match"}}`},
		{"a number in a sentence", `"Created issue #7"`, `{"issue_number":7}`, `{"issue_number":{"expr":"$number($match($.first, /\\b\\d+\\b/)[0].match)"}}`},
		{"between other text", `{"title":"Mill"}`, `{"subject":"About Mill, again"}`, `{"subject":{"expr":"\"About \" & $.first.title & \", again\""}}`},
		{"in a text that says much more", `{"title":"Mill"}`, `{"body":"The Mill stands on a hill above the town, where the wind is good in every season."}`, `{"body":{"expr":"$.entry.body"}}`},
		{"in a text of several lines", `{"title":"Mill"}`, `{"body":"Mill\n\nholds"}`, `{"body":{"expr":"$.entry.body"}}`},
		{"in the middle of a word", `{"title":"Mill"}`, `{"subject":"Millstone"}`, `{"subject":{"expr":"$.entry.subject"}}`},
		{"what would be read as an expression", `{"q":"Ada"}`, `{"where":{"expr":"x","name":"Ada"}}`, `{"where":{"expr":"$.entry.where"}}`},
	} {
		d := drafting.FromCalls([]drafting.Call{called(t, "first", `{}`, tt.output), called(t, "second", tt.argument, `1`)}, drafting.Options{})
		if got := argsOf(t, d); got != tt.want {
			t.Errorf("%s:\n%s, want\n%s", tt.name, got, tt.want)
		}
	}
}

// Of several places the latest is chosen, then one whose name fits, then the nearest; the
// others are listed.
func TestAmbiguousWiring(t *testing.T) {
	for _, tt := range []struct{ name, first, second, argument, chosen, others string }{
		{"the latest", `{"id":"u_77"}`, `{"user":{"key":"u_77"}}`, `{"id":"u_77"}`, "$.second.user.key", "$.first.id"},
		{"the name", `{}`, `{"key":"u_77","user":{"id":"u_77"}}`, `{"id":"u_77"}`, "$.second.user.id", "$.second.key"},
		{"the shortest path", `{}`, `{"a":{"b":"u_77"},"c":"u_77"}`, `{"id":"u_77"}`, "$.second.c", "$.second.a.b"},
	} {
		d := drafting.FromCalls([]drafting.Call{called(t, "first", `{}`, tt.first), called(t, "second", `{}`, tt.second), called(t, "third", tt.argument, `1`)}, drafting.Options{})
		if len(d.Ambiguous) != 1 || d.Ambiguous[0].Node != "third" || d.Ambiguous[0].Argument != "id" || d.Ambiguous[0].Chosen != tt.chosen || strings.Join(d.Ambiguous[0].Others, " ") != tt.others {
			t.Errorf("%s: %+v", tt.name, d.Ambiguous)
		}
	}
}

// Equal literals of one name are one argument of the graph, which is preferred to an item
// of a list; other literals of that name get the name of their node.
func TestInputs(t *testing.T) {
	d := drafting.FromCalls([]drafting.Call{
		called(t, "list", `{"repo":"engine"}`, `[{"repo":"engine","id":"i_1"}]`),
		called(t, "get", `{"repo":"engine","id":"i_1"}`, `1`),
		called(t, "copy", `{"repo":"mill","from":"engine"}`, `2`),
	}, drafting.Options{Name: "copy_issue"})
	arguments, err := expr.Encode(d.Arguments)
	if err != nil || string(arguments) != `{"repo":"engine","copy_repo":"mill"}` {
		t.Errorf("%v %s", err, arguments)
	}
	text := string(graph.Encode(d.Tool))
	for _, want := range []string{
		"args: {repo: {expr: $.entry.repo}, id: {expr: '$.list[0].id'}}",
		"args: {repo: {expr: $.entry.copy_repo}, from: {expr: '$.list[0].repo'}}",
		"properties: {repo: {type: string}, copy_repo: {type: string}}",
		"required: [repo, copy_repo]",
		"outputSchema: {type: number}",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// A choice of the tool's schema is not read off an output, whatever it equals.
func TestChoicesAreInputs(t *testing.T) {
	c := called(t, "second", `{"state":"open"}`, `1`)
	c.Input = schema.New(json.RawMessage(`{"type":"object","properties":{"state":{"type":"string","enum":["open","closed"]}}}`))
	d := drafting.FromCalls([]drafting.Call{called(t, "first", `{}`, `{"state":"open"}`), c}, drafting.Options{})
	if got := argsOf(t, d); got != `{"state":{"expr":"$.entry.state"}}` {
		t.Error(got)
	}
	if got := string(graph.Encode(d.Tool)); !strings.Contains(got, "state: {type: string, enum: [open, closed]}") {
		t.Error(got)
	}
}
