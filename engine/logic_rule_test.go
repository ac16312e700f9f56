package engine_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/graph/edit"
)

// ruleGraph is a graph that decides by one rule.
func ruleGraph(rule string) string {
	return `{"name": "g", "description": "d",
"inputSchema": {"type": "object", "properties": {"l": {"type": "array", "items": {"type": "integer"}}, "n": {"type": "integer"}}, "required": ["l"]},
"outputSchema": {"type": "object"},
"nodes": [
  {"id": "entry", "type": "entry", "next": "list"},
  {"id": "list", "type": "transform", "transform": {"expr": "{'items': [{'n': $.entry.n}, {'n': 2}], 'x': 'y'}"}, "next": "choose"},
  {"id": "choose", "type": "switch", "conditions": [{"rule": ` + rule + `, "next": "yes"}], "next": "no"},
  {"id": "yes", "type": "transform", "transform": {"expr": "{'is': true, 'l': $.entry.l}"}, "next": "exit"},
  {"id": "no", "type": "transform", "transform": {"expr": "{'is': false, 'l': $.entry.l}"}, "next": "exit"},
  {"id": "exit", "type": "exit"}
]}`
}

// TestRulesAreChecked: what a rule looks up by a path is checked as an expression is, at
// its place.
func TestRulesAreChecked(t *testing.T) {
	for _, tt := range []struct{ rule, want string }{
		{`{"==": [{"var": "entyr.l.0"}, 1]}`, `unknown-node-reference "entyr"`},
		{`{"!!": {"missing": ["entry.n", "lsit.x"]}}`, `unknown-node-reference "lsit"`},
		{`{"!!": {"missing": "lsit.x"}}`, `unknown-node-reference "lsit"`},
		{`{"!!": {"missing": [["lsit.x"]]}}`, `unknown-node-reference "lsit"`},
		{`{"!!": {"missing": {"merge": ["entry.n", {"if": [{"var": "lits.x.0"}, ["lsit.x"], []]}]}}}`, `unknown-node-reference "lits", unknown-node-reference "lsit"`},
		{`{"!!": {"missing_some": [1, ["entry.n", "lsit.x"]]}}`, `unknown-node-reference "lsit"`},
		{`{"reduce": [{"var": "$.entry.l"}, {"var": "current"}, {"var": "lsit.0"}]}`, `unknown-node-reference "lsit"`},
		{`{"==": [{"var": ["lsit.0", 3]}, 3]}`, `unknown-node-reference "lsit"`},
		{`{"==": [{"var": {"if": [true, "lsit.x", "list.x"]}}, 3]}`, `unknown-node-reference "lsit"`},
		{`{"==": [{"var": "$eval(\"$.lsit.x\")"}, 1]}`, `unknown-node-reference "lsit"`},
		{`{"==": [{"var": "yes.l.0"}, 1]}`, `read-before-run "yes"`},
		{`{"!!": {"missing": ["list.itmes"]}}`, `unknown-field "itmes"`},
		{`{"!!": {"missing": ["list.items.n"]}}`, `unknown-field "n"`},
		{`{"==": [{"var": "list.items.0.m"}, 1]}`, `unknown-field "m"`},
		{`{"==": [{"var": "list.x.0.m"}, 1]}`, `field-of-scalar "0"`},
		{`{"===": [{"var": "list.items.1.n"}, "x"]}`, `constant-rule`},
		{`{"==": [{"var": "$.list.items.0.n"}, 1]}`, `json-logic`},
		// These are right.
		{`{"==": [{"var": "list.items.1.n"}, 2]}`, ``},
		{`{"some": [{"var": "$.list.items"}, {"missing": ["nothing"]}]}`, ``},
		{`{"!!": {"missing": {"var": "$.entry.l"}}}`, ``},
		{`{"==": [{"var": {"cat": ["list", ".x"]}}, 1]}`, ``},
		{`{"==": [{"var": "$.entry.n > 0.5"}, true]}`, ``},
		{`{"==": [{"var": ""}, 1]}`, ``},
	} {
		src := ruleGraph(tt.rule)
		doc, l := graph.Parse("graph.json", src)
		_, more := engine.Compile(doc, "", engine.Env{})
		var found []string
		for _, d := range append(l, more...).Sort() {
			text := src[d.Range.Start.Offset:d.Range.End.Offset]
			if d.Code == "constant-rule" || d.Code == "json-logic" {
				found = append(found, d.Code)
				continue
			}
			found = append(found, fmt.Sprintf("%s %q", d.Code, text))
		}
		if got := strings.Join(found, ", "); got != tt.want {
			t.Errorf("%s gives %s, want %s\n%s", tt.rule, got, tt.want, diag.Format("graph.json", src, append(l, more...)))
		}
	}
}

// TestFixesOfPaths: the first fix of a path makes the rule right.
func TestFixesOfPaths(t *testing.T) {
	for _, tt := range []struct{ rule, want string }{
		{`{"==": [{"var": "lsit.items.0.n"}, 1]}`, `{"==": [{"var": "list.items.0.n"}, 1]}`},
		{`{"==": [{"var": "input.l.0"}, 1]}`, `{"==": [{"var": "entry.l.0"}, 1]}`},
		{`{"!!": {"missing": ["list.itmes"]}}`, `{"!!": {"missing": ["list.items"]}}`},
		{`{"==": [{"var": "$eval(\"$.lsit.x\")"}, 1]}`, `{"==": [{"var": "$eval(\"$.list.x\")"}, 1]}`},
	} {
		src := ruleGraph(tt.rule)
		doc, l := graph.Parse("graph.json", src)
		_, more := engine.Compile(doc, "", engine.Env{})
		l = append(l, more...)
		if len(l) != 1 || len(l[0].Fixes) == 0 {
			t.Errorf("%s: no fix\n%s", tt.rule, diag.Format("graph.json", src, l))
			continue
		}
		if got := diag.ApplyEdits(src, l[0].Fixes[0].Edits); got != ruleGraph(tt.want) {
			t.Errorf("%s is fixed to\n%s", tt.rule, got)
		}
	}
}

// aRule draws a rule over the outputs of two nodes, in all ways in which a rule reads.
func aRule(r *rand.Rand, depth int) any {
	op := func(name string, args ...any) any { return map[string]any{name: args} }
	node := []string{"aa", "bb"}[r.IntN(2)]
	field := []string{"s", "l", "l.0", "l.1.n", "none", "s.x"}[r.IntN(6)]
	path := node + "." + field
	if depth == 0 {
		switch r.IntN(9) {
		case 0:
			return op("missing", path, "entry.n")
		case 1:
			return op("missing", op("merge", path, op("if", op("var", path+".0"), []any{"bb.l.1"}, []any{"aa.none"})))
		case 2:
			return op("missing_some", 1+r.IntN(2), []any{path, "aa.l.5", "bb.s"})
		case 3:
			return op("var", []string{"aa.l.0.n", "bb.l.1.n", "aa.l.7"}[r.IntN(3)], "default")
		case 4:
			return op("var", op("if", op("var", "aa.l.0.n"), path, "bb.l.0"))
		case 5:
			return op("var", `$eval("$.`+node+`.s") & "x"`)
		case 6:
			return op("filter", op("var", "$."+node+".l"), op(">", op("var", "n"), r.IntN(3)))
		case 7:
			return op("some", op("var", node+".l.0.aa"), op("!", op("missing", "aa.s")))
		}
		return op("var", "$exists($."+node+".l[n > 1])")
	}
	name := []string{"and", "or", "if", "!", "!!", "==", "in", "cat"}[r.IntN(8)]
	args := []any{aRule(r, depth-1)}
	for range map[string]int{"!": 0, "!!": 0, "if": 2}[name] + r.IntN(2) {
		args = append(args, aRule(r, depth-1))
	}
	return map[string]any{name: args}
}

// TestRenamesKeepResults: a node of a graph with random rules is renamed, and every run
// gives what it gave.
func TestRenamesKeepResults(t *testing.T) {
	outcomes := map[string]int{}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(44, seed))
		rule, err := json.Marshal(map[string]any{[]string{"!", "!!"}[r.IntN(2)]: []any{aRule(r, r.IntN(4))}})
		if err != nil {
			t.Fatal(err)
		}
		src := `{"nodes": [
  {"id": "entry", "type": "entry", "next": "aa"},
  {"id": "aa", "type": "transform", "transform": {"expr": "{'s': $.entry.n > 1 ? 'aa.s' : '', 'l': [{'n': $.entry.n, 'aa': [{'aa': {'s': 1}}]}]}"}, "next": "bb"},
  {"id": "bb", "type": "transform", "transform": {"expr": "{'s': $.aa.s & 'bb', 'l': [{'n': 1}, {'n': $eval('aa.l.n')}]}"}, "next": "choose"},
  {"id": "choose", "type": "switch", "conditions": [{"rule": ` + string(rule) + `, "next": "yes"}], "next": "no"},
  {"id": "yes", "type": "transform", "transform": {"expr": "{'is': 'yes'}"}, "next": "exit"},
  {"id": "no", "type": "transform", "transform": {"expr": "{'is': 'no'}"}, "next": "exit"},
  {"id": "exit", "type": "exit"}
]}`
		renamed := src
		for from, to := range map[string]string{"aa": "an-a", "bb": "bbb"} {
			e, fault := edit.New("g", renamed, "")
			if fault == nil {
				fault = e.Apply(edit.Op{Op: "rename_node", ID: from, NewID: to})
			}
			if fault != nil {
				t.Fatal(fault)
			}
			if renamed, fault = e.Text(); fault != nil {
				t.Fatal(fault)
			}
		}
		was, found := plan(t, src)
		is, after := plan(t, renamed)
		if len(found) != len(after) {
			t.Errorf("the renamed graph has other findings:\n%s\n%s", diag.Format("before", src, found), diag.Format("after", renamed, after))
			continue
		}
		if was == nil {
			continue
		}
		for _, arguments := range []string{`{"n": 0}`, `{"n": 2}`, `{}`} {
			want, got := runPlan(t, was, nil, arguments), runPlan(t, is, nil, arguments)
			if outcomes[want]++; want != got {
				t.Errorf("%s of\n%s\ngives %s, and after renaming, %s:\n%s", arguments, src, want, got, renamed)
			}
		}
	}
	if outcomes[`{"is":"yes"}`] < 200 || outcomes[`{"is":"no"}`] < 200 {
		t.Errorf("the rules hardly choose: %v", outcomes)
	}
}

func plan(t *testing.T, src string) (*engine.Plan, diag.List) {
	t.Helper()
	doc, l := graph.Parse("graph.json", src)
	if doc == nil {
		t.Fatalf("%s\n%s", src, diag.Format("graph.json", src, l))
	}
	p, more := engine.Compile(doc, "", engine.Env{})
	return p, append(l, more...)
}
