package engine_test

import (
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
