package jsonata

import "testing"

// A character beyond U+FFFF is one character in every function.
func TestCharactersAreWhole(t *testing.T) {
	for src, want := range map[string]string{
		`$split("a😀b", "")`:                                   `["a","😀","b"]`,
		`$match("a😀b", /./).match`:                            `["a","😀","b"]`,
		`$match("a😀b", /b/).index`:                            `2`,
		`$substring("a😀b", $match("a😀b", /b/).index)`:         `"b"`,
		`$match("a😀b", /[\u0061-\ud83d\ude00]+/).match`:       `"a😀b"`,
		`$match("a😀b", /[^a\ud83d]+/).match`:                  `"😀b"`,
		`/./("a😀", 1).match`:                                  `"😀"`,
		`$replace("a😀b", /\W/, "-")`:                          `"a-b"`,
		`$replace("a😀b", /./, function($m) { $m.match & 1 })`: `"a1😀1b1"`,
		`$pad("x", 3, "😀")`:                                   `"x😀😀"`,
		`"\ud83d\ude00"`:                                      `"😀"`,
		`"a\ud83d"`:                                           "\"a\ufffd\"",
		`$length("\ud83d")`:                                   `1`,
		`$encodeUrl("\ud83d")`:                                `D3140`,
		`$encodeUrl("\ufffd")`:                                `"%EF%BF%BD"`,
		`$parseJson("[\"\\ud83d\"]")`:                         "[\"\ufffd\"]",
	} {
		if got := outcomeOf(t, src, "null"); got != want {
			t.Errorf("%s is %s, want %s", src, got, want)
		}
	}
}
