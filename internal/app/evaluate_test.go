package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

func evaluate(t *testing.T, pb *app.App, in author.EvaluateInput) *author.EvaluateResult {
	t.Helper()
	r, fault := pb.Evaluate(t.Context(), in)
	if fault != nil {
		t.Fatalf("%v (%s)", fault, fault.Hint)
	}
	return r
}

func TestEvaluateValues(t *testing.T) {
	pb := product(t)
	for _, tt := range []struct{ language, expression, context, value, typ string }{
		{"", `"$.n"`, `{"n":9007199254740993}`, `9007199254740993`, "number"},
		{"jsonata", `"items[qty > 1].name"`, `{"items":[{"name":"pen","qty":2},{"name":"ink","qty":0}]}`, `"pen"`, "string"},
		{"", `"{\"b\": 1, \"a\": [n, none]}"`, `{"n":1.10}`, `{"b":1,"a":[1.10]}`, "object"},
		{"", `"$.none"`, `{}`, ``, "undefined"},
		{"", `"$"`, ``, `{}`, "object"},
		{"jsonlogic", `{">": [{"var": "a.b"}, 3]}`, `{"a":{"b":4}}`, `true`, "boolean"},
		{"jsonlogic", `"{\"cat\": [{\"var\": \"a\"}, \"!\"]}"`, `{"a":"é"}`, `"é!"`, "string"},
	} {
		r := evaluate(t, pb, author.EvaluateInput{Language: tt.language, Expression: json.RawMessage(tt.expression), Context: json.RawMessage(tt.context)})
		if string(r.Value) != tt.value || r.Type != tt.typ || r.Failed() {
			t.Errorf("%s over %s is %s, %s (%v), want %s, %s", tt.expression, tt.context, r.Value, r.Type, r.Diagnostics, tt.value, tt.typ)
		}
	}
}

// With a run, an expression sees what its nodes saw: their outputs and the
// history.
func TestEvaluateInARun(t *testing.T) {
	pb := product(t)
	g := text(`
nodes:
  - {id: entry, type: entry, next: add}
  - {id: add, type: transform, transform: {expr: '{"i": $executionCount("add") + 1}'}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: $.add.i}, 3]}, next: add}], next: exit}
  - {id: exit, type: exit}
`)
	wrecked, fault := pb.Run(t.Context(), execution.RunInput{GraphInput: plans.GraphInput{Graph: g}, Arguments: json.RawMessage(`{"who":"Ada"}`)})
	if fault != nil || wrecked.Failed() {
		t.Fatal(fault, wrecked)
	}
	for src, want := range map[string]string{
		`add.i & $.entry.who`:        `"3Ada"`,
		`$executionCount("add")`:     `3`,
		`$nodeExecution("add", 0).i`: `1`,
		`$nodeExecution("add", 9)`:   `null`,
		`$nodeExecutions("add").i`:   `[1,2,3]`,
		`$previousNode(2)`:           `"exit"`,
	} {
		if r := evaluate(t, pb, author.EvaluateInput{Expression: text(src), RunID: wrecked.RunID}); string(r.Value) != want {
			t.Errorf("%s is %s (%v), want %s", src, r.Value, r.Diagnostics, want)
		}
	}
	if _, fault := pb.Evaluate(t.Context(), author.EvaluateInput{Expression: text(`1`), RunID: "run_none"}); fault == nil || fault.Code != "unknown-run" || fault.Hint == "" {
		t.Errorf("got %+v", fault)
	}
}

// A fault has a caret under its place and says what to do; a slip comes with its
// repair, as in validate.
func TestEvaluateFaults(t *testing.T) {
	pb := product(t)
	for _, tt := range []struct {
		src, rendered string
		failed        bool
	}{
		{`"größe" & $sum(list`, "expression:1:20: error: expected \")\" to close the \"(\" at 1:15, but the expression ends here [expr-syntax]\n   1 | \"größe\" & $sum(list\n     |                    ^\n", true},
		{`list.n == 1`, `1:8: error: "==" is not an operator of JSONata [expr-syntax]`, true},
		{"\n  n + word", "2:7: error: the right operand of the \"+\" operator must evaluate to a number, got a string [T2002]\n   2 |   n + word\n     |       ^~~~\n     = hint: convert with $number", true},
		{`[1, $summ(list)]`, "1:5: error: there is no function $summ", true},
		{`list.length`, "1:6: warning: ", false},
		{`list.map(function($x) { $x })`, "= fix: ", true},
		{`undefined`, `1:1: warning: "undefined"`, false},
		{`my-id.x`, "write `my-id`", false},
	} {
		r := evaluate(t, pb, author.EvaluateInput{Expression: text(tt.src), Context: json.RawMessage(`{"list":[{"n":1},{"n":2}],"n":1,"word":"x","my-id":{"x":1}}`)})
		if r.Failed() != tt.failed || !strings.Contains(r.Text(), tt.rendered) {
			t.Errorf("%s: failed is %v, want %v\n%s\nwant %s", tt.src, r.Failed(), tt.failed, r.Text(), tt.rendered)
		}
		for _, d := range r.Diagnostics {
			if d.Severity == diag.Warning && d.Hint == "" {
				t.Errorf("%s: no hint: %s", tt.src, d.Message)
			}
		}
	}
	if r := evaluate(t, pb, author.EvaluateInput{Language: "jsonlogic", Expression: json.RawMessage(`{"and": [true, {"vra": "a"}]}`)}); !r.Failed() || !strings.Contains(r.Diagnostics[0].Hint, "var") {
		t.Errorf("got %v", r.Diagnostics)
	}
}
