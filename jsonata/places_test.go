package jsonata

import (
	"errors"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/conformance"
)

// The operand that an error is placed at, and the call that it happens in.
func TestPlaces(t *testing.T) {
	for _, test := range []struct{ src, code, at, call string }{
		{`n + s`, "T2002", `s`, ``},
		{`"x" * n`, "T2001", `"x"`, ``},
		{`list[$ - $$.s > 1]`, "T2002", `$$.s`, ``},
		{`-s`, "D1002", `s`, ``},
		{`n < s`, "T2009", `s`, ``},
		{`n < true`, "T2010", `true`, ``},
		{`[s..3]`, "T2003", `s`, ``},
		{`[1..s]`, "T2004", `s`, ``},
		{`[1..1e8]`, "D2014", `1..1e8`, ``},
		{`{n: 1}`, "T1003", `n`, ``},
		{`list{"k": 1, "k": 2}`, "D1009", `"k"`, ``},
		{`list^(true)`, "T2008", `true`, ``},
		{`(1; s).nosuch(2)`, "T1006", `nosuch`, ``},
		{`sum(list)`, "T1005", `sum`, ``},
		{`n ~> s`, "T2006", `s`, ``},
		{`(n ~> |$|1|)`, "T0410", `n`, `n ~> |$|1|`},
		{`$$ ~> |$|1|`, "T2011", `1`, `$$ ~> |$|1|`},
		{`[1, $uppercase(n)]`, "T0410", `n`, `$uppercase(n)`},
		{`n ~> $uppercase()`, "T0410", `$uppercase()`, `$uppercase()`},
		{`$sum([1, s])`, "T0412", `[1, s]`, `$sum([1, s])`},
		{`$map(list, function($v) { $v + s })`, "T2002", `s`, `$map(list, function($v) { $v + s })`},
		{`($f := function($a) { $a.b + s }; n & $f({"b": 1}))`, "T2002", `s`, `$f({"b": 1})`},
		{`$reduce(list, function($a, $b) { $number($a & "x") })`, "D3030", `$a & "x"`, `$number($a & "x")`},
		{`$nosuch(1)`, "T1006", `$nosuch`, `$nosuch(1)`},
		{`$pad("x", 1e9)`, "too-big", `$pad("x", 1e9)`, `$pad("x", 1e9)`},
		{`{"a": list^(>$ & {"x": $}.y)[0], "b": 1 / 0}`, "not-a-number", `1 / 0`, ``},
		{`$eval("1 + 'a'")`, "D3121", `"1 + 'a'"`, `$eval("1 + 'a'")`},
		{`$parseJson("[1, x]")`, "D3150", `"[1, x]"`, `$parseJson("[1, x]")`},
		{`$match(s, /a/, -1)`, "D3040", `-1`, `$match(s, /a/, -1)`},
		{`$replace(s, /x*?/, "-")`, "D1004", `/x*?/`, `$replace(s, /x*?/, "-")`},
		{`$string(1/0)`, "D3001", `1/0`, `$string(1/0)`},
		{`n & {"a": 1/0}`, "D1001", `n & {"a": 1/0}`, ``},
		{`$assert(n > 1, "few")`, "D3141", `n > 1`, `$assert(n > 1, "few")`},
		{`$error(s)`, "D3137", `$error(s)`, `$error(s)`},
		{`$formatNumber(n, "0.0.0")`, "D3081", `"0.0.0"`, `$formatNumber(n, "0.0.0")`},
		{`$toMillis(s)`, "D3110", `s`, `$toMillis(s)`},
		{`($f := function($n) { [$f($n)] }; $f(1))`, "U1001", `$f($n)`, `$f($n)`},
		{`($f := function() { $f() }; 1 + $f())`, "too-much-work", `$f()`, `$f()`},
		{`(1 + [2, 3)`, "syntax", `)`, ``},
		{`n + "x`, "syntax", `"`, ``},
	} {
		fault, at, call := faultOf(t, test.src, Limits{MaxCalls: 200, MaxSteps: 100_000})
		if fault.Code != test.code || at != test.at || call != test.call {
			t.Errorf("%s: %s at %q in %q, want %s at %q in %q", test.src, fault.Code, at, call, test.code, test.at, test.call)
		}
	}
	if fault, _, _ := faultOf(t, `$steps("a")`, Limits{}); !strings.Contains(fault.Hint, "$nodeExecutions") {
		t.Errorf("the hint is %q", fault.Hint)
	}
	if fault, _, _ := faultOf(t, `$sums(list)`, Limits{}); fault.Hint != "did you mean $sum?" {
		t.Errorf("the hint is %q", fault.Hint)
	}
}

// Every error of the official suite has a place in the text: not all of it, unless that
// is one token, or a call without the argument that is missing.
func TestPlacesInTheSuite(t *testing.T) {
	for _, c := range conformance.Cases(t) {
		if c.Kind != "error" {
			continue
		}
		_, err := evaluateCase(t, c)
		fault, ok := errors.AsType[*Error](err)
		if !ok || fault.Start < 0 || fault.Start > fault.End || fault.End > len(c.Expr) || fault.Start == fault.End && fault.End < len(c.Expr) {
			t.Errorf("%s: %+v", c.Expr, err)
			continue
		}
		if line, column := fault.Position(c.Expr); line < 1 || column < 1 {
			t.Errorf("%s: line %d, column %d", c.Expr, line, column)
		}
		ast, _ := Parse(c.Expr)
		if strings.TrimSpace(c.Expr[fault.Start:fault.End]) == strings.TrimSpace(c.Expr) && ast != nil && ast.Root.Kind != KindCall {
			t.Errorf("%s: %s at all of it", c.Expr, fault.Code)
		}
	}
}
