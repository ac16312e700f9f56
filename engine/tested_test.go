package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
)

// testedGraph asks with a rule whether the optional arguments o and q.s are there, and
// reads them where it holds and where it does not.
func testedGraph(rule, then, otherwise string) string {
	return `{"name": "g", "description": "d", "inputSchema": {"type": "object", "properties": {"o": {"type": "string"}, "q": {"type": "object", "properties": {"s": {"type": "string"}}}, "l": {"type": "array", "items": {"type": "string"}}}},
"outputSchema": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
"nodes": [{"id": "entry", "type": "entry", "next": "s"}, {"id": "s", "type": "switch", "conditions": [{"rule": ` + rule + `, "next": "yes"}], "next": "no"},
{"id": "yes", "type": "transform", "transform": {"expr": "1"}, "next": "yes2"}, {"id": "yes2", "type": "exit", "result": {"a": {"expr": "` + then + `"}}},
{"id": "no", "type": "exit", "result": {"a": {"expr": "` + otherwise + `"}}}]}`
}

// TestTestedInASwitch: what a condition has found to be there is not doubted after it, and
// nothing else.
func TestTestedInASwitch(t *testing.T) {
	for _, tt := range []struct{ rule, then, otherwise, want string }{
		{`{"var": "$exists($.entry.o)"}`, `$.entry.o`, `'n'`, ``},
		{`{"var": "$exists($.entry.o)"}`, `'n'`, `$.entry.o`, `maybe-missing`},
		{`{"var": "$exists($.entry.o)"}`, `$.entry.q.s`, `'n'`, `maybe-missing`},
		{`{"var": "$not($exists($.entry.o))"}`, `'n'`, `$.entry.o`, ``},
		{`{"!!": [{"var": "$.entry.o"}]}`, `$.entry.o`, `'n'`, ``},
		{`{"var": "entry.q.s"}`, `$.entry.q.s`, `'n'`, ``},
		{`{"var": ["entry.o", "default"]}`, `$.entry.o`, `'n'`, `maybe-missing`},
		{`{"!": [{"var": "$.entry.o"}]}`, `'n'`, `$.entry.o`, ``},
		{`{"!=": [{"var": "$.entry.o"}, null]}`, `$.entry.o`, `'n'`, ``},
		{`{"==": [null, {"var": "$.entry.o"}]}`, `'n'`, `$.entry.o`, ``},
		{`{"==": [{"var": "$.entry.o"}, null]}`, `$.entry.o`, `'n'`, `maybe-missing`},
		{`{"!=": [{"var": "$.entry.o"}, "x"]}`, `$.entry.o`, `'n'`, `maybe-missing`},
		{`{"!=": [{"var": "$exists($.entry.o)"}, null]}`, `$.entry.o`, `'n'`, `maybe-missing`},
		{`{"and": [{"var": "$.entry.q.s"}, {"var": "$.entry.o"}]}`, `$.entry.o & $.entry.q.s`, `'n'`, ``},
		{`{"or": [{"var": "$.entry.q.s"}, {"var": "$.entry.o"}]}`, `$.entry.o`, `'n'`, `maybe-missing`},
		{`{"or": [{"!": [{"var": "$.entry.q.s"}]}, {"!": [{"var": "$.entry.o"}]}]}`, `'n'`, `$.entry.q.s`, ``},
		{`{"!!": [{"missing": ["entry.o"]}]}`, `'n'`, `$.entry.o`, ``},
		{`{"!!": [{"missing": ["entry.o", "entry.q.s"]}]}`, `'n'`, `$.entry.q.s`, ``},
		{`{"!!": [{"missing": ["entry.o"]}]}`, `$.entry.o`, `'n'`, `maybe-missing`},
		{`{"var": "$.entry.o = 'x' and $.entry.q.s != ''"}`, `$.entry.q.s`, `'n'`, ``},
	} {
		text := testedGraph(tt.rule, tt.then, tt.otherwise)
		_, l := plan(t, text)
		l = slices.DeleteFunc(l, func(d *diag.Diagnostic) bool { return d.Code != "maybe-missing" && d.Severity != diag.Error })
		if got := strings.Join(codesOf(l), " "); got != tt.want {
			t.Errorf("%s, then %s, otherwise %s: %s, want %s\n%s", tt.rule, tt.then, tt.otherwise, got, tt.want, diag.Format("graph.json", text, l))
		}
	}
}

// TestTestedBefore: a test holds only where its edge is the only way, and until the node
// that the value is of may have run again.
func TestTestedBefore(t *testing.T) {
	const (
		read = `{"id": "r", "type": "transform", "transform": {"expr": "$exists($.entry.o) ? {'v': $.entry.o} : {}"}, "next": "s"}`
		test = `{"id": "s", "type": "switch", "conditions": [{"rule": {"var": "$exists($.r.v)"}, "next": "yes"}], "next": `
		end  = `{"id": "exit", "type": "exit", "result": {"a": {"expr": "$.r.v"}}}`
	)
	for _, tt := range []struct{ nodes, want string }{
		{read + `, ` + test + `"no"}, {"id": "yes", "type": "transform", "transform": {"expr": "1"}, "next": "exit"}, {"id": "no", "type": "exit", "result": {"a": "n"}}, ` + end, ``},
		{read + `, ` + test + `"no"}, {"id": "yes", "type": "transform", "transform": {"expr": "1"}, "next": "exit"}, {"id": "no", "type": "transform", "transform": {"expr": "1"}, "next": "exit"}, ` + end, `maybe-missing`},
		{read + `, ` + test + `"yes"}, {"id": "yes", "type": "transform", "transform": {"expr": "1"}, "next": "exit"}, ` + end, `maybe-missing`},
		// the read runs again after the test, and leads past it
		{`{"id": "r", "type": "transform", "transform": {"expr": "$exists($.entry.o) ? {'v': $.entry.o} : {}"}, "next": "c"}, {"id": "c", "type": "switch", "conditions": [{"rule": {">": [{"var": "$executionCount('r')"}, 1]}, "next": "exit"}], "next": "s"}, ` +
			test + `"no"}, {"id": "yes", "type": "transform", "transform": {"expr": "1"}, "next": "r"}, {"id": "no", "type": "exit", "result": {"a": "n"}}, ` + end, `maybe-missing`},
		// it runs again, and is tested again
		{read + `, ` + test + `"no"}, {"id": "yes", "type": "switch", "conditions": [{"rule": {">": [{"var": "$executionCount('r')"}, 1]}, "next": "exit"}], "next": "r"}, {"id": "no", "type": "exit", "result": {"a": "n"}}, ` + end, ``},
	} {
		text := `{"name": "g", "description": "d", "inputSchema": {"type": "object", "properties": {"o": {"type": "string"}}},
"outputSchema": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, "nodes": [{"id": "entry", "type": "entry", "next": "r"}, ` + tt.nodes + `]}`
		_, l := plan(t, text)
		l = slices.DeleteFunc(l, func(d *diag.Diagnostic) bool { return d.Code != "maybe-missing" && d.Severity != diag.Error })
		if got := strings.Join(codesOf(l), " "); got != tt.want {
			t.Errorf("%s: %s, want %s\n%s", tt.nodes, got, tt.want, diag.Format("graph.json", text, l))
		}
	}
}
