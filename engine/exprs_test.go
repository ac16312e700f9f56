package engine_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
)

// What an author brings along from another language is one mistake: the words in
// it are not reported as nodes, variables or functions that do not exist.
func TestSlipsMuteWhatTheyContain(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"Object.keys($.entry.x)", "expr-mistake"},
		{"JSON.stringify($.entry)", "expr-mistake"},
		{"Math.max($.entry.a, 1)", "expr-mistake"},
		{"console.log($.entry)", "expr-mistake"},
		{"return {\"a\": 1}", "expr-mistake"},
		{"return $.entry", "expr-syntax"},
		{"undefined", "expr-mistake"},
		{"$.entry.a = undefined ? 1 : 2", "expr-mistake"},
		{"None", "expr-mistake"},
		{"sum($.entry.list)", "expr-mistake"},
		{"$.entry.name.toUpperCase()", "expr-mistake"},
		{"`Hello ${$.entry.name}`", "expr-mistake"},
		// What is evaluated is valid.
		{`$match($.entry.x, /(?<=a)b(?=c)|(?<y>x)\k<y>/).match`, ""},
		{`$clone($.entry.x)`, ""},
		{`$flatten([[$.entry.x]])`, ""},
		{`$match($.entry.x, /b{2,1}/)`, "expr-syntax"},
		// Two mistakes stay two.
		{"Object.keys($.entry.x) ~> $nosuch", "expr-mistake unknown-variable"},
		{"[undefined, nosuch, $nosuch(1)]", "expr-mistake unknown-node-reference unknown-function"},
	} {
		src := exprGraph(tt.src)
		doc, l := graph.Parse("graph.json", src)
		_, more := engine.Compile(doc, "", engine.Env{})
		var codes []string
		l = append(l, more...).Sort()
		for _, d := range l {
			codes = append(codes, d.Code)
		}
		if got := strings.Join(codes, " "); got != tt.want {
			t.Errorf("%s gives %s, want %s\n%s", tt.src, got, tt.want, diag.Format("graph.json", src, l))
		}
	}
}

// A function that does not exist and is named after the history of a run has the hint
// which of the history functions is meant.
func TestHistoryWordsNameTheHistoryFunctions(t *testing.T) {
	doc, l := graph.Parse("graph.json", exprGraph(`$history("entry")`))
	_, more := engine.Compile(doc, "", engine.Env{})
	for _, d := range append(l, more...) {
		if d.Code == "unknown-function" && strings.Contains(d.Hint, "$nodeExecutions(id)") {
			return
		}
	}
	t.Errorf("got %v", more)
}

// TestNoFalseWarnings: what the types of a graph show to be right is not doubted, and what
// is tested is there.
func TestNoFalseWarnings(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{`{"a": $string($.entry.length)}`, ``},
		{`{"a": $string($.entry.q.length)}`, `maybe-missing expr-suspicious`},
		{`{"a": $.entry.k = "x" ? "1" : $.entry.k = "y" ? "2"}`, ``},
		{`{"a": $.entry.k = "x" ? "1" : $.entry.k = "y" ? "2" : null}`, ``},
		{`($k := $.entry.k; {"a": $k = "x" ? "1" : $k = "y" ? "2"})`, ``},
		{`{"a": $.entry.k = "x" ? "1" : $.entry.k = "z" ? "2"}`, `maybe-missing`},
		{`{"a": $.entry.o = "x" ? "1" : $.entry.o = "y" ? "2"}`, `maybe-missing`},
		{`{"a": $exists($.entry.o) ? $.entry.o : "n"}`, ``},
		{`{"a": $exists($.entry.o) = true ? $.entry.o : "n"}`, ``},
		{`{"a": $exists($.entry.o) = false ? "n" : $.entry.o}`, ``},
		{`{"a": $exists($.entry.o) = false ? $.entry.o : "n"}`, `maybe-missing`},
		{`{"a": $exists($.entry.l[0].v) ? $.entry.l[0].v : "n"}`, ``},
		{`{"a": $exists($.entry.l[0].v) ? $.entry.l[1].v : "n"}`, `maybe-missing`},
		{`{"a": $.entry.o != null ? $.entry.o : "n"}`, ``},
		{`{"a": $.entry.o != "" ? $.entry.o : "n"}`, ``},
		{`{"a": $.entry.o = "" ? "n" : $.entry.o}`, `maybe-missing`},
		{`{"a": $length($.entry.o) > 0 ? $.entry.o : "n"}`, ``},
		{`{"a": $count($.entry.o) = 0 ? "n" : $.entry.o}`, ``},
		{`{"a": $count($.entry.o) != -1 ? $.entry.o : "n"}`, `maybe-missing`},
		{`{"a": "o" in $keys($.entry) ? $.entry.o : "n"}`, ``},
		{`{"a": $.entry.o & "x" ? $.entry.o : "n"}`, `maybe-missing`},
	} {
		src, _ := json.Marshal(tt.src)
		text := `{"name": "g", "description": "d", "inputSchema": {"type": "object", "properties": {"k": {"enum": ["x", "y"]}, "length": {"type": "integer"},
"o": {"type": "string"}, "q": {"type": "object"}, "l": {"type": "array", "items": {"type": "object", "properties": {"v": {"type": "string"}}}}}, "required": ["k", "length"]},
"outputSchema": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
"nodes": [{"id": "entry", "type": "entry", "next": "t"}, {"id": "t", "type": "transform", "transform": {"expr": ` + string(src) + `}, "next": "exit"}, {"id": "exit", "type": "exit"}]}`
		_, l := plan(t, text)
		l = slices.DeleteFunc(l, func(d *diag.Diagnostic) bool { return d.Code == "unused-input" })
		if got := strings.Join(codesOf(l), " "); got != tt.want {
			t.Errorf("%s gives %s, want %s\n%s", tt.src, got, tt.want, diag.Format("graph.json", text, l))
		}
	}
}
