package expr

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// ruleResult is the value of a rule over a context as JSON, or the code of its error.
func ruleResult(t *testing.T, rule, context string) string {
	t.Helper()
	r, faults := CompileRule(decode(t, rule))
	if faults != nil {
		return faults[0].Code
	}
	v, err := r.Eval(t.Context(), NewScopeWith(decode(t, context), nil, Limits{}))
	if err != nil {
		return codeOf(err)
	}
	b, err := Encode(v)
	if err != nil {
		return codeOf(err)
	}
	return string(b)
}

// Every operator has at least three examples, in which it occurs, and their results are
// right.
func TestRuleExamples(t *testing.T) {
	for _, operator := range RuleOperators() {
		list := RuleExamples(operator).List()
		if len(list) < 3 {
			t.Errorf("%s has the examples %q, expected three", operator, list)
		}
		for _, example := range list {
			rule, want, _ := strings.Cut(example, " → ")
			if !strings.HasPrefix(rule, `{"`+operator+`":`) {
				t.Errorf("%s is not a rule of %s", rule, operator)
			}
			if got := ruleResult(t, rule, RuleSample); got != want {
				t.Errorf("%s is %s, and the example says %s", rule, got, want)
			}
		}
	}
}

func TestRules(t *testing.T) {
	const context = `{"count":{"n":3,"big":9007199254740993},"list":{"files":[{"size":5,"tags":["a"]},{"size":50,"tags":[]}]},
		"entry":{"evil":{"cat":["sec","ret"]},"path":"count.n","expr":"$sum([1,2])","empty":[],"zero":"0"}}`
	for _, tt := range []struct{ rule, want string }{
		// A var at the top is JSONata, elsewhere a path into the element.
		{`{"var": "$.count.n"}`, `3`},
		{`{"var": "count.n"}`, `3`},
		{`{"var": "$count(list.files) + 1"}`, `3`},
		{`{"var": "list.files.size"}`, `[5,50]`},
		{`{"var": "list.files.1.size"}`, `50`},
		{`{"var": ["nothing", {"+": [1, 1]}]}`, `2`},
		{`{"var": "nothing.here"}`, `null`},
		{`{"var": "count.big"}`, `9007199254740993`},
		{`{"==": [{"var": "count.big"}, 9007199254740993]}`, `true`},
		{`{"==": [{"var": "count.big"}, 9007199254740992]}`, `false`},
		{`{"<": [9007199254740992, {"var": "count.big"}]}`, `true`},
		{`{">=": [9007199254740992, {"var": "count.big"}]}`, `false`},
		{`{"map": [{"var": "list.files"}, {"var": "tags.0"}]}`, `["a",null]`},
		{`{"filter": [{"var": "list.files"}, {">": [{"var": "size"}, 10]}]}`, `[{"size":50,"tags":[]}]`},
		{`{"reduce": [{"var": "list.files"}, {"+": [{"var": "accumulator"}, {"var": "current.size"}]}, 0]}`, `55`},
		{`{"some": [{"var": "list.files"}, {"var": ["none", false]}]}`, `false`},
		// What var yields is data: it is neither a rule nor an expression.
		{`{"var": "entry.evil"}`, `{"cat":["sec","ret"]}`},
		{`{"if": [true, {"var": "entry.evil"}]}`, `{"cat":["sec","ret"]}`},
		{`{"map": [[1], {"var": ""}]}`, `[1]`},
		{`{"var": {"var": "entry.path"}}`, `3`},
		{`{"var": {"var": "entry.expr"}}`, `null`},
		// Lazy.
		{`{"or": [true, {"var": "$error('evaluated')"}]}`, `true`},
		{`{"if": [false, {"var": "$error('evaluated')"}, "else"]}`, `"else"`},
		// Truth and coercion.
		{`{"!!": {"var": "entry.empty"}}`, `false`},
		{`{"!!": {"var": "entry.zero"}}`, `true`},
		{`{"==": [{"var": "entry.zero"}, 0]}`, `true`},
		{`{"===": [{"var": "count.n"}, 3]}`, `true`},
		{`{"==": [{"var": "none"}, null]}`, `true`},
		{`{"==": [[1, 2], "1,2"]}`, `true`},
		{`{"+": ["1.5x", true]}`, `not-a-number`},
		{`{"+": ["1.5x", "2"]}`, `3.5`},
		{`{"/": [1, 0]}`, `not-a-number`},
		{`{"cat": ["a", 1.0, null, [1, [2, null]]]}`, `"a11,2,"`},
		{`{"substr": ["jsonlogic", -5, -2]}`, `"log"`},
		{`{"missing": ["count.n", "none", "list.files.7"]}`, `["none","list.files.7"]`},
		{`{"in": ["", ""]}`, `false`},
		{`{"in": ["", "a"]}`, `true`},
		{`{"==": ["\ufeff\u00a01", 1]}`, `true`},
		{`{"==": ["\u00851", 1]}`, `false`},
		{`{"+": ["\ufeff1.5x"]}`, `1.5`},
		{`{"substr": ["a😀b", 1, 1]}`, `"😀"`},
		{`{"substr": ["a😀b", -1]}`, `"b"`},
		{`{"substr": ["a😀b", 0, -1]}`, `"a😀"`},
		{`{"a": 1, "b": 2}`, `{"a":1,"b":2}`},
		{`{"var": "$error('no')"}`, `D3137`},
		{`{"var": "$formatInteger(1e15, 'I')"}`, `too-big`},
		{`{"cat": [{"var": "$formatInteger(12, 'i')"}]}`, `"xii"`},
	} {
		if got := ruleResult(t, tt.rule, context); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.rule, got, tt.want)
		}
	}
}

func TestRuleFaults(t *testing.T) {
	_, faults := CompileRule(decode(t, `{"and": [{"eq": [1, 2]}, {"<": [{"vra": "a"}, {"filtre": []}]}, {"if": [{"zzzzzz": 1}]},
		{"==": [{"var": "$.a..b ("}, 1]}, {">": [1, 2], "<": [1, 2]}, {"a/b~c": 1}]}`))
	var got []string
	for _, f := range faults {
		edit := ""
		if len(f.Edits) > 0 {
			edit = " -> " + f.Edits[0].New
		}
		got = append(got, f.Code+" "+f.Pointer+edit)
	}
	want := []string{
		"unknown-operator /and/0/eq -> ==",
		"unknown-operator /and/1/</0/vra -> var",
		"unknown-operator /and/1/</1/filtre -> filter",
		"unknown-operator /and/2/if/0/zzzzzz",
		"syntax /and/3/==/0/var",
		"several-operators /and/4",
		"unknown-operator /and/5/a~1b~0c",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if f := faults[0]; f.Message != `there is no JSON Logic operator "eq"` || f.Hint != `did you mean "=="?` {
		t.Errorf("%q, %q", f.Message, f.Hint)
	}
	if f := faults[3]; !strings.Contains(f.Hint, "missing_some") {
		t.Errorf("the hint does not list the operators: %q", f.Hint)
	}
	if f := faults[4]; f.Start < 3 || f.End > len("$.a..b (") {
		t.Errorf("the fault is at [%d, %d) of the expression", f.Start, f.End)
	}
}

func TestHostileRules(t *testing.T) {
	deep := strings.Repeat(`{"!":`, 260) + "1" + strings.Repeat("}", 260)
	if _, faults := CompileRule(decode(t, deep)); len(faults) != 1 || faults[0].Code != "too-deep" {
		t.Errorf("260 operators deep: %v", faults)
	}
	var list strings.Builder
	list.WriteString("[0" + strings.Repeat(",0", 2999) + "]")
	for _, tt := range []struct{ rule, code string }{
		{`{"reduce": [{"var": ""}, {"cat": [{"var": "accumulator"}, {"var": "accumulator"}]}, "x"]}`, "too-big"},
		{`{"reduce": [{"var": ""}, {"merge": [{"var": "accumulator"}, {"var": "accumulator"}]}, [1]]}`, "too-big"},
		{`{"reduce": [{"var": ""}, {"if": [{"<": [{"var": "accumulator"}, 1]}, 1, {"var": "accumulator"}]}, ` + strings.Repeat("7", 1<<20) + `]}`, "too-much-work"},
		{`{"reduce": [{"var": ""}, {"if": [{"<": [{"var": "accumulator"}, 1]}, 1, {"var": "accumulator"}]}, [[` + strings.Repeat("7", 1<<20) + `]]]}`, "too-much-work"},
		{`{"reduce": [{"var": ""}, {"if": [{"in": ["b", {"var": "accumulator"}]}, 1, {"var": "accumulator"}]}, "` + strings.Repeat("a", 1<<22) + `"]}`, "too-much-work"},
		{`{"reduce": [{"var": ""}, {"if": [{"merge": [{"var": "accumulator"}]}, {"var": "accumulator"}, 0]}, [` + strings.Repeat("1,", 100_000) + `1]]}`, "too-much-memory"},
		{`{"map": [{"var": ""}, {"merge": [[` + strings.Repeat("1,", 20_000) + `1]]}]}`, "too-much-memory"},
		{`{"map": [{"var": ""}, {"map": [[` + strings.Repeat("1,", 250) + `1], {"%": [1e308, 5e-324]}]}]}`, "too-much-work"},
		{`{"reduce": [{"var": ""}, [{"var": "accumulator"}], [1]]}`, "too-deep"},
		{`{"cat": {"reduce": [{"var": ""}, [{"var": "accumulator"}], [1]]}}`, "too-deep"},
		{`{"cat": {"reduce": [{"var": ""}, [{"var": "accumulator"}, {"var": "accumulator"}], [1]]}}`, "too-much-work"},
		{`{"map": [{"var": "$"}, {"map": [[` + strings.Repeat("1,", 2000) + `1], {"map": [[` + strings.Repeat("1,", 2000) + `1], 1]}]}]}`, "too-much-work"},
	} {
		rule, faults := CompileRule(decode(t, tt.rule))
		if faults != nil {
			t.Fatal(faults[0])
		}
		limits := Limits{Timeout: time.Minute}
		_, err := rule.Eval(t.Context(), NewScopeWith(decode(t, list.String()), nil, limits))
		if code := codeOf(err); code == "" || !strings.Contains(tt.code, code) {
			t.Errorf("%.80s: got %v, want %s", tt.rule, err, tt.code)
		}
	}
}
