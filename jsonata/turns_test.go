package jsonata

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

const turnsInput = `{"a": {"b": {"c": 1}}, "list": [1, 2, 3], "s": "abcabc", "o": [{"n": 1}, {"n": 2}]}`

// Of the errors of what is evaluated beside each other, the one counts that jsonata-js 2.2.2
// comes to first. The number is for how many statements "1;" an expression takes as long.
func TestTurns(t *testing.T) {
	for x, turns := range map[string]int{
		`1`:                               3,
		`a.b.c`:                           10,
		`o{"k": 1}`:                       13,
		`a{"k": $}`:                       12,
		`o.{"k": n}`:                      29,
		`{"k": n, "m": 1}`:                15,
		`[]`:                              5,
		`[1..3]`:                          11,
		`($g := function($x){ 1 }(?); 1)`: 10,
		`($g := function($x){ $string($x) }; $map(list, $g))`: 42,
		`$map(list, function($x){ $x })`:                      28,
		`$map(list, $string)`:                                 22,
		`$sort(list, function($l,$r){ $l > $r })`:             42,
		`list^(>$)`:                             30,
		`o^(n)[0].n`:                            29,
		`list[$ > 1]`:                           22,
		`$match(s, /b/, 1)`:                     19,
		`$replace(s, /b/, function($m){ "x" })`: 30,
		`$split(s, /b/)`:                        19,
		`$contains(s, "b")`:                     13,
		`(s ~> /b/)`:                            13,
		`(s ~> $uppercase())`:                   14,
		`($string ~> $uppercase)`:               13,
		`(1 ~> ($string ~> $uppercase))`:        30,
		`$each(a, function($v,$k){ $k })`:       18,
		`$single(list, function($v){ $v = 1 })`: 40,
		`$eval("1")`:                            10,
		`(a ~> |$|{"z": 1}|)`:                   25,
		`o@$v.(n)`:                              19,
		`o@$v#$i[0].n`:                          11,
		`o.n.(%.n)`:                             26,
		`o@$v.n^($v.n)`:                         12,
		`o@$v{"k": $v.n}`:                       19,
		`1 + 2 + 3`:                             11,
		`true and true`:                         8,
		`1 = 1`:                                 7,
		`1 in [1,2]`:                            11,
		`true ? 1 : 2`:                          6,
		`0 ?: 2`:                                6,
		`nothing ?? 2`:                          14,
		`**`:                                    3,
		`$substring(?, 1)`:                      6,
		`($f := $map(?, function($x){ $x }); $f([1,2]))`:                               33,
		`($f := function($k, $x){ $k($x) }; $f(function($y){ $y }, 1))`:                24,
		`($f := function($k, $x){ ($map($x, $k); 1) }; $f(function($y){ $y }, [1,2]))`: 46,
		`($f := function($x){ $x > 3 ? $x : $f($x + 1) }; $f(0))`:                      86,
		`($f := function($x){ $x > 3 ?: $f($x + 1) }; $f(0))`:                          90,
		`($f := function($x){ ($string($x))[0] }; $f(0))`:                              22,
		`$lookup(a, "b")`: 12,
		`$merge([a, a])`:  15,
		`$string()`:       7,
		`a.{"x": b.c}`:    20,
		`$each(a, function($v,$k){ $string($k) })`: 21,
		`$sort(o, function($l,$r){ $l.n < $r.n })`: 38,
		`($r := /b/; $r("abc"); $match(s, $r))`:    30,
		`list[-1]`:                                 8,
		`o[0][0]`:                                  10,
		`o.n[]`:                                    9,
		`[1,2].[$]`:                                20,
		`$.a`:                                      8,
		`$distinct(list)`:                          11,
		`($clone := function($x){ $x }; (a ~> |$|{"z": 1}|))`: 32,
		`[1,2]{$string(): $}`:                23,
		`[1,2][$ = 1]`:                       18,
		`[[1,2][1], 2]`:                      13,
		`($match("abcab", /^./); 1)`:         18,
		`($match("abcab", /b/); 1)`:          19,
		`b{"k": 1}`:                          12,
		`{n: 1}`:                             10,
		`nothing{"k": 1}`:                    12,
		`$map(nothing, function($x){ 1 })`:   13,
		`a{"k": 1}`:                          12,
		`[]^(a)`:                             8,
		`nothing[0]`:                         8,
		`list[[0,1]]`:                        22,
		`nothing#$i`:                         6,
		`$spread(a)`:                         11,
		`$map([1,2], $append(?, 1))`:         27,
		`$map([1,2], $string ~> $uppercase)`: 48,
		`$sort([3,1,2,5,4], function($l,$r){ $l < $r })`: 111,
		`[3,1,2,5,4]^(>$,$)`:                             62,
		`[3,1,2,5,4]#$i^($)`:                             54,
		`[3,1,2,5,4]^($)[0]`:                             57,
		`["a","b"]^($)`:                                  22,
		`$each({"x": 1, "y": 2}, $string)`:               25,
		`$filter([0,1], $boolean)`:                       20,
		`$split("a b", " ")`:                             10,
		`$split("abcb", /b/, 1)`:                         16,
		`$replace("abcb", /b/, "y", 1)`:                  17,
		`$contains("a", /x/)`:                            14,
		`a.b@$v.c`:                                       10,
		`o.(n)^($)`:                                      31,
		`o#$i[n=1]`:                                      24,
		`**.n`:                                           19,
		`(o;o).n`:                                        18,
		`a.b.%.b`:                                        12,
		`o.{"x": %.s}`:                                   33,
		`-(1)`:                                           7,
		`0 or 0`:                                         8,
		`"a" ~> $uppercase ~> $lowercase`:                13,
		`function($x){ function($y){ $x } }(1)(2)`:                                       17,
		`($f := function($x, $g){ $x = 0 ? $g($x) : ($f($x - 1, $g)) }; $f(3, $string))`: 86,
		`($m := $map(?, function($x) { $x }); $m([1,2]))`:                                33,
		`($m := $replace(?, /a/, "b"); $m("abc"))`:                                       22,
		`($m := $eval(?, 1); $m("a.b"))`:                                                 23,
	} {
		for n, want := range map[int]string{turns - 1: "D1002", turns: "T2002"} {
			src := "[(" + x + `; 1 + "x"), (` + strings.Repeat("1;", n) + `-"x")]`
			if got := ours(t, src, turnsInput); got.Error != want {
				t.Errorf("%s: %s beside %d statements ends with %s (%s), want %s", src, x, n, got.Error, got.Message, want)
			}
		}
	}
}

// The same for expressions that fail.
func TestTurnsOfErrors(t *testing.T) {
	for x, c := range map[string]struct {
		turns int
		code  string
	}{
		`1 + "x"`:            {2, "T2002"},
		`1/0 + 1`:            {6, "D1001"},
		`true and 1/0`:       {7, "D1001"},
		`(1/0) ? 1 : 2`:      {6, "D1001"},
		`"x" & 1/0`:          {6, "D3001"},
		`$sum("x")`:          {3, "T0412"},
		`$f9() ?? 1`:         {7, "T1006"},
		`$sum("x") ?: 1`:     {5, "T0412"},
		`[1.."x"]`:           {6, "T2004"},
		`[1,"x"]^($)`:        {16, "T2007"},
		`[3,1,"x"]^($)`:      {18, "T2007"},
		`[1,3,"x",2]#$i^($)`: {26, "T2007"},
		`$sort([1,3,2], function($l,$r){ $l.x + "x" })`: {30, "T2002"},
		`list[1/0]`:                                 {7, "D1001"},
		`list[$ = 2 ? $sum("x") : $]`:               {23, "T0412"},
		`o#$i[$i = 1 ? $sum("x")].n`:                {23, "T0412"},
		`list{1: 2}`:                                {3, "T1003"},
		`list{"a": $sum("x")}`:                      {13, "T0412"},
		`list{$string(): $ > 1 ? $sum("x")}`:        {32, "T0412"},
		`{1: 2}`:                                    {1, "T1003"},
		`{"a": $sum("x"), "b": 1}`:                  {10, "T0412"},
		`[1, $sum("x")]`:                            {7, "T0412"},
		`[[[$sum("x")]]]`:                           {15, "T0412"},
		`(true >= 2)`:                               {4, "T2010"},
		`[(true >= 2), 1]`:                          {8, "T2010"},
		`((true >= 2) ? 1) ~> $string`:              {10, "T2010"},
		`1 ~> $f9(1)`:                               {5, "T1006"},
		`1 ~> 2`:                                    {1, "T2006"},
		`1 ~> $string($sum("x"))`:                   {8, "T0412"},
		`($string ~> $sum)("x")`:                    {23, "T0412"},
		`($f := function($x){ $sum($x) }; $f("x"))`: {13, "T0412"},
		`($f := function($x){ $x + 1 }; $f("x"))`:   {14, "T2001"},
		`($f := function($x)<n:n>{ $x + 1 }; 1 + $f("x"))`: {12, "T0410"},
		`$map(list, function($x){ $x + "x" })`:             {17, "T2002"},
		`$filter(list, function($x){ $x + "x" })`:          {17, "T2002"},
		`$reduce(list, function($x, $y){ $x + "x" })`:      {17, "T2002"},
		`$sift(a, function($x){ $x + "x" })`:               {17, "T2001"},
		`$single(list, function($x){ $x > 1 })`:            {35, "D3138"},
		`$single(list, function($x){ $x + "x" })`:          {17, "T2002"},
		`$replace("abc", /b/, function($x){ 1 + "x" })`:    {19, "T2002"},
		`$replace("abc", /x*/, "y")`:                       {11, "D1004"},
		`$match("abc", /b/, -1)`:                           {6, "D3040"},
		`$match("abc", function($x){ 1 + "x" })`:           {15, "T2002"},
		`$split("abc", /b/, -1)`:                           {6, "D3020"},
		`$number("x")`:                                     {3, "D3030"},
		`$assert(false)`:                                   {3, "D3141"},
		`$eval("1 + 'x'")`:                                 {9, "D3121"},
		`$eval("[1, $sum('x')]")`:                          {14, "D3121"},
		`$clone(1)`:                                        {3, "T0410"},
		`a ~> |$|1|`:                                       {11, "T2011"},
		`a ~> |b|{"a": 1}, 1|`:                             {22, "T2012"},
		`a ~> |b|{"a": 1}, 1 + "x"|`:                       {26, "T2002"},
		`sum(1)`:                                           {3, "T1005"},
		`a.b.sum(1)`:                                       {10, "T1005"},
		`list.$sum("x")`:                                   {8, "T0412"},
		`list.(1 = $ ? 1 : 1 + "x")`:                       {26, "T2002"},
		`o.n.(%.n + "x")`:                                  {17, "T2002"},
		`($v := 1 + "x")`:                                  {6, "T2002"},
		`$string(1, 1 + "x")`:                              {6, "T2002"},
		`$string($string, 2)`:                              {4, "T0410"},
		`$uppercase(1)`:                                    {3, "T0410"},
		`function($x){ 1 + "x" }(1)`:                       {9, "T2002"},
		`$sum("x") in 1`:                                   {5, "T0412"},
		`$sum("x") = 1`:                                    {5, "T0412"},
		`1 < $sum("x")`:                                    {7, "T0412"},
		`$formatInteger(1, 2)`:                             {4, "T0410"},
		`$sqrt(-1)`:                                        {3, "D3060"},
		`$join([1])`:                                       {7, "T0412"},
		`$fromMillis("x")`:                                 {3, "T0411"},
		`$map(list, function($x){ [1, $x + "x"] })`:        {21, "T2002"},
		`[1, [2, [3, $sum("x")]]]`:                         {15, "T0412"},
		`{"a": {"b": {"c": $sum("x")}}, "d": 1}`:           {22, "T0412"},
		`($clone := function($x){ $x.y + "x" }; a ~> |$|{"z": 1}|)`: {25, "T2002"},
		`$f9(1 + "x")`:  {5, "T2002"},
		`a(1 + "x")`:    {8, "T2002"},
		`$map(list, 1)`: {7, "T0410"},
	} {
		for n, want := range map[int]string{c.turns - 1: "D1002", c.turns: c.code} {
			src := "[(" + x + "), (" + strings.Repeat("1;", n) + `-"x")]`
			if got := ours(t, src, turnsInput); got.Error != want {
				t.Errorf("%s: %s beside %d statements ends with %s (%s), want %s", src, x, n, got.Error, got.Message, want)
			}
		}
	}
}

// What is evaluated beside each other sees what the others have bound by then.
func TestBoundBeside(t *testing.T) {
	for src, want := range map[string]string{
		`($v := 1; [$v := 2, $v])`:                                                 `[2,1]`,
		`($v := 1; [$v, $v := 2])`:                                                 `[1,2]`,
		`($v := 1; [($v; $v), $v := 2, ($v + $v + $v)])`:                           `[1,2,5]`,
		`($v := 1; {"a": $v := 2, "b": $v, "c": (1; $v)})`:                         `{"a":2,"b":1,"c":2}`,
		`($v := 1; [$eval("$v := 2"), $v, (1; 2; 3; $v)])`:                         `[2,1,2]`,
		`$eval("($v := 1; [$v := 2, $v])")`:                                        `[2,1]`,
		`($v := 7; [$map([1, 2], function($x) { $string($v) }), $v := (1; 2; 3)])`: `["3","3",3]`,
		`[1, 2]{"k" & $: ($v := $; $v)}`:                                           `{"k1":1,"k2":2}`,
		`($v := 1; [[$v := 2, $v], $v])`:                                           `[[2,1],1]`,
		`($v := 1; [[1, 2]{"k" & $: $v}, $v := (1; 2; 3; 4; 5; 2)])`:               `[{"k1":2,"k2":2},2]`,
	} {
		if got := ours(t, src, "{}"); got.Result != want {
			t.Errorf("%s is %s (%s), want %s", src, got.Result, got.Error, want)
		}
	}
}

// A result that is not JSON is an error, and no reason to look for another one.
func TestTurnsOfResults(t *testing.T) {
	x, err := Compile(`[$sum, a]`)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := x.Eval(t.Context(), mustDecode(t, []byte(turnsInput))); codeOf(err) != "function-result" {
		t.Errorf("the result is %v (%v), want function-result", v, err)
	}
}

// An expression that fails is evaluated a second time to find which error comes first. That
// has limits of its own; beyond them, the error that was found counts.
func TestTurnsAreLimited(t *testing.T) {
	const long = `[($map([1..20], function($x) { $x }); $error("a")), ($map([1..18], function($x) { $x }); 1 + "x")]`
	for _, c := range []struct {
		src   string
		steps int
		code  string
		place string
	}{
		{`[$error("a"), 1 + "x"]`, 1000, "T2002", `"x"`},
		{`[$error("a"), ($f := function($x) { $f($x) }; $f(1))]`, 1000, "D3137", `$error("a")`},
		{long, 150, "D3137", `$error("a")`},
		{long, 10_000, "T2002", `"x"`},
	} {
		x, err := Compile(c.src)
		if err != nil {
			t.Fatal(err)
		}
		e := Evaluator{Limits: Limits{MaxSteps: c.steps, Timeout: time.Minute}}
		_, err = e.Eval(t.Context(), x, NewObject())
		fault, ok := errors.AsType[*Error](err)
		if !ok || fault.Code != c.code || c.src[fault.Start:fault.End] != c.place {
			t.Errorf("%s with %d steps ends with %+v, want %s at %s", c.src, c.steps, err, c.code, c.place)
		}
	}
}

// The stacks of branches count as memory: the values of so many keys are evaluated beside
// each other.
func TestBranchesAreMemory(t *testing.T) {
	for n, want := range map[int]string{1000: "none", 40_000: "too-much-memory"} {
		src := fmt.Sprintf(`$count($keys([1..%d]{"k" & $: $x := $}))`, n)
		if _, err := compile(t, src).Eval(t.Context(), nil); codeOf(err) != want {
			t.Errorf("%d branches: got %v, want %q", n, err, want)
		}
	}
	const failing = `[1..40000]{"k" & $: $ = 30000 ? $error("x") : $string($)}`
	if _, err := compile(t, failing).Eval(t.Context(), nil); codeOf(err) != "D3137" {
		t.Errorf("an error among many values: got %v, want that error", err)
	}
}
