package app_test

import (
	"fmt"
	"strings"
	"testing"
)

// forms are the ways to write an expression into YAML: the text before it and
// after it, and where it begins.
var forms = []struct {
	name, before, after string
	line, column        int
}{
	{"block", "      expr: |\n        /* é */\n        ", "\n", 10, 9},
	{"folded", "      expr: >-\n          ", "\n", 9, 11},
	{"single quotes", "      expr: '", "'\n", 8, 14},
	{"plain, behind other scripts", "      日本語: x\n      expr: ", "\n", 9, 13},
}

// What an agent writes by habit, the place of it within the expression, and what
// it is told.
var badInput = []struct {
	src         string
	at          int // column of the fault in src, from 1
	message     string
	hint, fixed string
}{
	{`$.entry.a == 1`, 11, `"==" is not an operator of JSONata`, `compare with "="`, `$.entry.a = 1`},
	{`$.entry.a && $.entry.b`, 11, `"&&" is not an operator of JSONata`, `write "and"`, `$.entry.a and $.entry.b`},
	{`$.entry.a || $.entry.b`, 11, `"||" is not an operator of JSONata`, `write "or"`, `$.entry.a or $.entry.b`},
	{`!$.entry.a`, 1, `"!" is not an operator of JSONata`, `$not(`, `$not($.entry.a)`},
	{`$.entry.a ? !$.entry.b`, 13, `"!" is not an operator of JSONata`, `$not(`, `$.entry.a ? $not($.entry.b)`},
	{`$.get-user.name`, 3, `"-"`, "`get-user`", "$.`get-user`.name"},
	{`$.entry.list.length`, 14, `length`, `$count`, ``}, // a doubt: data may have it
	{`$.entry.list.map(function($x) { $x.n })`, 14, `".map(" calls a field, and fields are not functions`, `write $map(x, …)`, `$map($.entry.list, function($x) { $x.n })`},
	{`$.entry.list.map(x => x.n)`, 20, `"=>" is not JSONata`, `write function($x){ … }`, `$map($.entry.list, function($x){ $x.n })`},
	{`$map($.entry.list, x => x.n)`, 22, `"=>" is not JSONata`, `write function($x){ … }`, `$map($.entry.list, function($x){ $x.n })`},
	{"`Hello ${$.entry.name}`", 1, `template`, `"&"`, `("Hello " & $.entry.name)`},
	{`$.entry.a != undefined`, 14, `"undefined"`, `$exists`, `$exists($.entry.a)`},
	{`$now`, 1, `"$now" is the function itself, not its result`, `write $now()`, `$now()`},
	{`{"at": $now}`, 8, `"$now" is the function itself, not its result`, `write $now()`, `{"at": $now()}`},
	{`$sum($.entry.list`, 18, `expected ")" to close the "(" at`, ``, ``},
	// Allowed: nothing is said.
	{`$.entry.a[0]`, 0, "", "", ""},
	{`$.entry.a = null`, 0, "", "", ""},
	{`$.entry.list[n != null].n`, 0, "", "", ""},
}

// The place is exact in every form of YAML, after other scripts too.
func TestBadInput(t *testing.T) {
	pb := product(t)
	for _, form := range forms {
		for _, tt := range badInput {
			if strings.Contains(tt.src, ": ") && strings.HasPrefix(form.name, "plain") || tt.src[0] == '`' && strings.HasPrefix(form.name, "plain") || tt.src[0] == '!' && strings.HasPrefix(form.name, "plain") {
				continue // means something to YAML
			}
			src := "nodes:\n  - {id: entry, type: entry, next: get-user}\n  - {id: get-user, type: transform, transform: {expr: $.entry}, next: t}\n" +
				"  - {id: exit, type: exit}\n  - id: t\n    type: transform\n    transform:\n" + form.before + tt.src + form.after + "    next: exit\n"
			r := validate(t, pb, text(src))
			var found []string
			for _, d := range all(r) {
				if strings.HasPrefix(d.Code, "expr-") || strings.HasPrefix(d.Code, "unknown-") && d.Code != "unknown-key" {
					found = append(found, fmt.Sprintf("%d:%d %s | %s", d.Range.Start.Line, d.Range.Start.Column, d.Message, d.Hint))
				}
			}
			if tt.at == 0 {
				if len(found) > 0 {
					t.Errorf("%s, %s: said %q", form.name, tt.src, found)
				}
				continue
			}
			want := fmt.Sprintf("%d:%d ", form.line, form.column+tt.at-1)
			if len(found) != 1 || !strings.HasPrefix(found[0], want) || !strings.Contains(found[0], tt.message) || !strings.Contains(found[0], tt.hint) {
				t.Errorf("%s, %s:\n got %q\nwant %s%s | %s", form.name, tt.src, found, want, tt.message, tt.hint)
			}
			if _, last := mend(t, pb, text(src)); tt.fixed != "" && !strings.Contains(last.Source, tt.fixed) {
				t.Errorf("%s, %s: mended to\n%s", form.name, tt.src, last.Source)
			}
		}
	}
}
