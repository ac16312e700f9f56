package expr

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// What the checker offers in the place of another function, it accepts.
func TestOfferedFunctions(t *testing.T) {
	for _, offers := range []map[string]jsonata.Foreign{jsonata.Methods, jsonata.Globals} {
		for name, f := range offers {
			fn, _, _ := strings.Cut(strings.TrimPrefix(f.Rewrite, "$"), "…")
			if f.Rewrite != "" && jsonata.LookupBuiltin(fn) == nil {
				t.Errorf("for %s, %s is offered and not accepted", name, f.Rewrite)
			}
		}
	}
	if got := eval(t, `$clone({"a": 1})`, `{}`); got != `{"a":1}` {
		t.Errorf("$clone gives %s", got)
	}
}

// A literal in the place of a pattern matches as it is written.
func TestLiteralPatterns(t *testing.T) {
	for src, want := range map[string]string{
		`$replace("a.b.c", ".", "-", 1)`:                                    `"a-b.c"`,
		`$replace("aaa", "aa", "b")`:                                        `"ba"`,
		`$match("a.b.c", ".").index`:                                        `[1,3]`,
		`$match("größe.", ".", 1)`:                                          `{"match":".","index":5,"groups":[]}`,
		`$count($match("ab", ""))`:                                          `3`,
		`$length($replace($pad("", 2000000, "x"), $pad("", 200, "x"), ""))`: `0`,
	} {
		if got := eval(t, src, `{}`); got != want {
			t.Errorf("%s is %s, want %s", src, got, want)
		}
	}
}
