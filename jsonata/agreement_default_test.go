package jsonata

import "testing"

// The left side of ?: and ?? decides by its value, also where it has a regular expression or a
// function with a signature. jsonata-js 2.2.2 decides by a copy of its syntax tree that has lost
// both.
func TestDefaults(t *testing.T) {
	for src, want := range map[string]string{
		`$contains("xyz", /x/) ?: "none"`:                               `true`,
		`$contains("box", /z/) ?: "none"`:                               `"none"`,
		`$contains("box", /z/) ?? "none"`:                               `false`,
		`$match("cat", /z/, 1) ?? 1`:                                    `1`,
		`$match("xyz", /z/).match ?? 1`:                                 `"z"`,
		`/a/("cat").next() ?? 1`:                                        `1`,
		`("xyz" ~> /z/).match ?: 2`:                                     `"z"`,
		`(("cat" ~> /z/) ?: 2) ?? 3`:                                    `2`,
		`$split("b", /.$/, 2) ?: 1`:                                     `1`,
		`$split("xbcx", /./, 3)[2] = "bc" ?: 1`:                         `1`,
		`$split("cat", /a/, 2) ?? 2`:                                    `["c","t"]`,
		`$filter(["xyz", "cat"], /z/) ?: 1`:                             `"xyz"`,
		`($f := function($x) { $contains($x, /z/) }; $f("cat") ?: 1)`:   `1`,
		`(($f := function($x) { $contains($x, /z/) }; $f("cat")) ?: 1)`: `1`,
		`function($x)<n> { $x }(2) ?: 3`:                                `2`,
		`(function($x)<n> { $x })(?)(2) ?: 3`:                           `2`,
		`($f := function($x)<n> { $x }; $f(2) ?: 3)`:                    `2`,
		`$match("cat", /a/).match ?? 1`:                                 `"a"`,
		`$match("cat", /z/) ?? 1`:                                       `1`,
		`$split("cat", /a/) ?? 1`:                                       `["c","t"]`,
		`$replace("cat", /a/, "o") ?: 1`:                                `"cot"`,
		`$replace("cat", /z/, function($m) { $x }) ?? 1`:                `"cat"`,
		`$replace("xyz", /z/, function($m) { $x }) ?? 1`:                `D3012`,
		`$replace("xyz", /a/, function($m) { $x }) ?? 1`:                `"xyz"`,
	} {
		if got := outcomeOf(t, src, `null`); got != want {
			t.Errorf("%s is %s, want %s", src, got, want)
		}
	}
}
