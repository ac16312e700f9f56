package jsonata

import (
	"strings"
	"testing"
)

// The turns of functions that are arguments, of what decides between the sides of ?: and ??,
// and of the errors where jsonata-js 2.2.2 ends with an internal one.
func TestTurnsOfFunctions(t *testing.T) {
	for x, turns := range map[string]int{
		`$replace("abab", /a/, function($m){ "<" & $m.next().start & ">" }, 1)`: 44,
		`$replace("abab", "a", "x", 1)`:                                         12,
		`($contains("x", /z/) ?: 1)`:                                            19,
		`($contains("xyz", /b/) ?: 1)`:                                          19,
		`($match("cat", /z/, 1) ?? 1)`:                                          38,
		`($match("xyz", /z/) ?? 1)`:                                             24,
		`(($contains("x", /z/) ?: 1) ?? 2)`:                                     45,
		`($f := function($x) { $contains($x, /z/) ?: $string($x) }; $f("cat"))`: 35,
		`($f := function($x) { $string($x) ?: /z/ }; $f("cat"))`:                26,
		`($f := function($x) { ($x > 3 ? $x : /o/) ?: $f($x + 1) }; $f(3))`:     57,
		`function($f){ $f("x") }(/x/)`:                                          16,
		`function($f){ $match("x", $f) }(/x/)`:                                  20,
		`$map(["a", "b"], /a/)`:                                                 20,
		`("a" ~> /a/)`:                                                          10,
		`function($f){ $f("x").next() }(/x/)`:                                   30,
		`function($f){ $f = $sum }($sum)`:                                       14,
		`function($f, $g){ $f($g) }(function($x){ $x(1) }, $string)`:            25,
		`[$append($sum, $sum)][0](list)`:                                        26,
		`function($f){ $map(list, $f) }(function($x)<n:n>{ $x })`:               33,
		`$split("a😀b", "")`:                                                     10,
		`$formatInteger(nothing, nothing)`:                                      15,
		`[""][0].x`:                                                             11,
		`[1, 2][5].x`:                                                           11,
		`($ ~> |n|{}|)`:                                                         17,
		`$each({"x": $sum}, function($f) { $f(list) })`:                         28,
	} {
		besideStatements(t, x+`; 1 + "x"`, turns, "T2002")
	}
	for x, c := range map[string]struct {
		turns int
		code  string
	}{
		`$replace("abab", /a/, function($m){ $string($m.next().next()) })`: {39, "D3012"},
		`[1, 2][5].x[]`:                   {6, "not-an-array"},
		`[null][0].x`:                     {6, "not-an-array"},
		`[1, 2][0].x#$i`:                  {7, "not-an-array"},
		`[1, 2][0]^($).x#$i`:              {11, "not-an-array"},
		`[1, 2][0]^($)^(>$).x#$i`:         {15, "not-an-array"},
		`[""][0].x[]`:                     {6, "not-an-array"},
		`(function($x)<n>{ $x }(2) ?: 3)`: {7, "T0410"},
		`$split("abc", nothing)`:          {9, "T0410"},
		`$replace("abc", nothing, "x")`:   {10, "T0410"},
		`$match("abc", nothing)`:          {7, "T0410"},
		`$formatInteger(1, nothing)`:      {7, "T0410"},
		`$parseInteger("1", nothing)`:     {7, "T0410"},
		`($ ~> |list|{"z": 1}|)`:          {20, "not-an-object"},
		`(a ~> |b.c|{"z": 1}|)`:           {25, "not-an-object"},
		`({} ~> /x/)`:                     {8, "not-a-string"},
		`function($f){ $f(?) }($sum)`:     {7, "S0202"},
	} {
		besideStatements(t, x, c.turns, c.code)
	}
}

// besideStatements reports an expression that does not take as long as so many statements.
func besideStatements(t *testing.T, x string, turns int, code string) {
	t.Helper()
	for n, want := range map[int]string{turns - 1: "D1002", turns: code} {
		src := "[(" + x + "), (" + strings.Repeat("1;", n) + `-"x")]`
		if got := ours(t, src, turnsInput); got.Error != want {
			t.Errorf("%s: %s beside %d statements ends with %s (%s), want %s", src, x, n, got.Error, got.Message, want)
		}
	}
}

func TestDefaultsBesideOthers(t *testing.T) {
	for src, want := range map[string]string{
		// The left side searches in jsonata-js until an error beside it ends that.
		`[($match("ob", /b/); 1 + "x"), (` + strings.Repeat("1;", 99) + `"a" < 1)] ?: 1`:            `T2009`,
		`[($split("ob", /b/); 1 + "x"), (` + strings.Repeat("1;", 99) + `"a" < 1)] ?? 1`:            `T2009`,
		`[($replace("ob", /b/, ""); 1 + "x"), (` + strings.Repeat("1;", 99) + `2)] ?: 1`:            `T2002`,
		`[$replace("ob", /b/, $sum), (` + strings.Repeat("1;", 99) + `"a" < 1)] ?: 1`:               `T0412`,
		`($v := 1; [$v := 2, $contains("xyz", /x/) ?: "none"])`:                                     `[2,"none"]`,
		`($v := 1; [$v := 2, $match("cat", /z/, 1) ?? 1, ("x" ~> /x/) ?: $v])`:                      `[2,2]`,
		`($v := 1; [$v := 2, function($f) { $f = $sum }($sum)])`:                                    `[2,false]`,
		`($v := 1; [$v := 2, function($x)<n> { $x }(2) ?: 3])`:                                      `T0410`,
		`($v := 1; [$v := 2, function($f) { s.$f() }($uppercase)])`:                                 `T0411`,
		`($v := 1; [$v := 2, $replace("abab", /a/, function($m) { "<" & $m.next().start & ">" })])`: `[2,"<2>bab"]`,
	} {
		if got := outcomeOf(t, src, turnsInput); got != want {
			t.Errorf("%s is %s, want %s", src, got, want)
		}
	}
}

// However ?: and ?? are nested, an expression is compiled soon.
func TestNestedDefaults(t *testing.T) {
	for _, src := range []string{
		strings.Repeat("(", 150) + `$contains("x", /a/)` + strings.Repeat(" ?: 1)", 150),
		strings.Repeat("(function() { ", 60) + `$contains("x", /a/)` + strings.Repeat(" ?? 1 })()", 60),
		strings.Repeat("(function() { ", 60) + "nothing" + strings.Repeat(" ?: 1 })()", 60),
	} {
		if got := outcomeOf(t, src, "{}"); got != "1" && got != "false" {
			t.Errorf("%s is %s", src, got)
		}
		x, err := Compile("($v := 1; [$v := 2, " + src + "])")
		if err != nil || !x.paced {
			t.Errorf("%s: %v", src, err)
		}
	}
}
