package jsonata

import "testing"

// outcomeOf is the value of an expression as JSON, "undefined" or the code of its error.
func outcomeOf(t *testing.T, source, input string) string {
	t.Helper()
	x, err := Compile(source)
	var v Value
	if err == nil {
		v, err = x.Eval(t.Context(), mustDecode(t, []byte(input)))
	}
	switch {
	case err != nil:
		return codeOf(err)
	case v == nil:
		return "undefined"
	}
	b, err := Encode(v)
	if err != nil {
		return codeOf(err)
	}
	return string(b)
}

// What jsonata-js 2.2.2 makes of functions as values. The argument of a call is another
// function than the one that is written there; that of a call with which a function ends is
// not.
func TestAgreementOfFunctions(t *testing.T) {
	for src, want := range map[string]string{
		"$boolean(nothing[true][])":                         "undefined",
		"$boolean([[nothing[true][]]])":                     "undefined",
		"$boolean([nothing[true][], 1])":                    "true",
		"$not(nothing[true][])":                             "true",
		"$boolean([[]])":                                    "false",
		`$string(?)`:                                        `S0208`,
		`$string(1, ?)`:                                     `S0208`,
		`(true or $string(?)) and $string(1) = "1"`:         `true`,
		`function($f) { ($f(?))(1) }($sum)`:                 `S0202`,
		`function($f) { $f(?, 1) }($append)`:                `S0202`,
		`$append(?)({})`:                                    `{}`,
		`$substring(?)("ab")`:                               `"ab"`,
		`$substring("abc", ?, ?, ?)(1)`:                     `"bc"`,
		`$type(?, ?)(1, 2)`:                                 `"number"`,
		`$count(?)("ab")`:                                   `1`, // there, the length of the string: arguments are not checked
		`$sort(?)([2, 1])`:                                  `[1,2]`,
		`$sort(?, ?)([2, 1])`:                               `[1,2]`,
		`$uppercase(?)()`:                                   `undefined`,
		`$map(?)([1])`:                                      `T0410`,
		`$zip([1, 2], ?)([3])`:                              `[[1],[2]]`,
		`$reduce([1, 2], function($x) { $x }(?, ?))`:        `D3050`,
		`$reduce([1, 2], function($x, $y) { $y }(?, ?, ?))`: `2`,
		`function($x, $y) { [$x, $y] }(?, 1, ?)(2, 3)`:      `[2,1]`,
		`$map([1], function($f) { $f(?) })`:                 `T1008`,
		`($g := function($f) { ($f(?); 1) }; $h := function() { $g($sum) }; $h())`: `1`,
		`$map([$sum], function($f) { ($f(?); 1) })`:                                `1`,
		`$sum = $sum`:                                                               `true`,
		`function($f) { $f = $f }($sum)`:                                            `true`,
		`function($f) { $f = $sum }($sum)`:                                          `false`,
		`function($f, $g) { $f = $g }($sum, $sum)`:                                  `false`,
		`function($f) { [$f] = [$sum] }($sum)`:                                      `false`,
		`function($f) { $sum in [$f] }($sum)`:                                       `false`,
		`function($f) { $count([$f, $sum] ~> $distinct) }($sum)`:                    `2`,
		`$append($sum, $sum)[0] = $sum`:                                             `false`,
		`$append([$sum], [$sum])[0] = $sum`:                                         `true`,
		`($g := function($f, $g) { $f = $g }; $h := function() { $g(1, 1) }; $h())`: `true`,
		`($g := function($f) { $f = $sum }; $h := function() { $g($sum) }; $h())`:   `true`,
		`s.$uppercase()`:                                                            `"X"`,
		`function($f) { s.$f() }($uppercase)`:                                       `T0411`,
		`function($f) { s.$f() }(function($x)<s-:s> { $x })`:                        `T0411`,
		`($f := function($x)<s-:s> { $x }; s.$f())`:                                 `"x"`,
		`function() { $replace("abc", "b", $sum) }()`:                               `"a[object Object]c"`,
		`function() { $replace("abc", "b", function($x) { $x }) }()`:                `"a[object Object]c"`,
		`$replace("abc", "b", $sum)`:                                                `D3012`, // there, the source text of a function
		`/x/($sum)`:                                                                 `D3012`, // likewise
		`function() { /Object/($sum) }().match`:                                     `"Object"`,
		`$replace("abab", /a/, $string)`:                                            `"{\"match\":\"a\",\"start\":0,\"end\":1,\"groups\":[],\"next\":\"\"}b{\"match\":\"a\",\"start\":2,\"end\":3,\"groups\":[],\"next\":\"\"}b"`,
		`$replace("abab", /a/, function($m) { "<" & $m.next().start & ">" })`:       `"<2>bab"`,
		`$replace("abcdef", function() { {"match": "bc", "start": 3, "end": 4, "groups": [], "next": function() { {"match": "a", "start": 0, "end": 1, "groups": [], "next": function() { () }} }} }, "-")`: `"abc-abcde-bcdef"`,
		`$map(["ab", "ab", "ab"], /b/).start`: `[1,1]`,
		`/a/("aaa", 2).start`:                 `2`,
		`/a/("aaa", 7)`:                       `undefined`,
		`/^a/("aaa", 1)`:                      `undefined`,
		`/a/("aaa", true).start`:              `1`,
		`/a/("aaa", -1).start`:                `0`,
		`$replace("ab", function($s) { {"match": "a", "start": 0, "end": 1, "groups": [], "next": function() { () }, "x": 1} }, function($m) { $string($m.x) })`: `"1b"`,
	} {
		if got := outcomeOf(t, src, `{"s": "x"}`); got != want {
			t.Errorf("%s is %s, want %s", src, got, want)
		}
	}
}
