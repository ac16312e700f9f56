package jsonata

import "testing"

// What jsonata-js 2.2.2 gives where a regular expression, or a function with a signature, is
// to the left of ?: or ??. It decides by a copy in which the regular expression is [object
// Object].
func TestAgreementOfDefaults(t *testing.T) {
	for src, want := range map[string]string{
		`$contains("xyz", /x/) ?: "none"`:                               `"none"`,
		`$contains("box", /z/) ?: "none"`:                               `false`,
		`$contains("box", /z/) ?? "none"`:                               `false`,
		`$match("cat", /z/, 1) ?? 1`:                                    `undefined`,
		`$match("xyz", /z/) ?? 1`:                                       `1`,
		`/a/("cat").next() ?? 1`:                                        `undefined`,
		`("xyz" ~> /z/) ?: 2`:                                           `2`,
		`(("cat" ~> /z/) ?: 2) ?? 3`:                                    `undefined`,
		`$split("b", /.$/, 2) ?: {}`:                                    `["",""]`,
		`$split("xbcx", /./, 3)[2] = "bc" ?: 1`:                         `1`,
		`$split("cat", /a/, 2) ?? 2`:                                    `["c","t"]`,
		`$filter(["xyz", "cat"], /z/) ?: 1`:                             `"xyz"`,
		`($f := function($x) { $contains($x, /z/) }; $f("cat") ?: 1)`:   `1`,
		`(($f := function($x) { $contains($x, /z/) }; $f("cat")) ?: 1)`: `false`,
		`function($x)<n> { $x }(2) ?: 3`:                                `T0410`,
		`(function($x)<n> { $x })(?)(2) ?: 3`:                           `2`,
		`($f := function($x)<n> { $x }; $f(2) ?: 3)`:                    `2`,
		// Without a limit jsonata-js does not end here.
		`$match("cat", /a/).match ?? 1`:  `"a"`,
		`$match("cat", /z/) ?? 1`:        `1`,
		`$split("cat", /a/) ?? 1`:        `["c","t"]`,
		`$replace("cat", /a/, "o") ?: 1`: `"cot"`,
		// Unless the first replacement fails.
		`$replace("cat", /z/, function($m) { $x }) ?? 1`: `D3012`,
		`$replace("xyz", /z/, function($m) { $x }) ?? 1`: `D3012`,
		`$replace("xyz", /a/, function($m) { $x }) ?? 1`: `"xyz"`,
	} {
		if got := outcomeOf(t, src, `null`); got != want {
			t.Errorf("%s is %s, want %s", src, got, want)
		}
	}
}
