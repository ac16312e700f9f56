package regex

import (
	"regexp"
	"strings"
	"testing"
)

// A text that is made of a pattern is matched by it, and is as short and readable as
// the pattern allows.
func TestMatch(t *testing.T) {
	for pattern, want := range map[string]string{
		``:                             "",
		`^abc$`:                        "abc",
		`^[A-Z]{2,3}-\d+$`:             "AA-0",
		`^(?:red|green)$`:              "red",
		`^x?y*z$`:                      "z",
		`^.{3}(ab)+$`:                  "aaaab",
		`^[^a-z]$`:                     "A",
		`^[\x00-\x1f!-,]$`:             "!",
		`^\t$`:                         "\t",
		`^[\t\n]$`:                     "\t",
		`(?i)^id_[b-y]$`:               "ID_B",
		`^\d{4}-\d{2}-\d{2}T\d{2}:00$`: "0000-00-00T00:00",
	} {
		got, ok := Match(pattern)
		if !ok || !regexp.MustCompile(pattern).MatchString(got) {
			t.Errorf("%s: %q, %v does not match", pattern, got, ok)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
	if got, ok := Match(`(?=a)`); ok {
		t.Errorf("a look-around gives %q", got)
	}
	if got, _ := Match(`^` + strings.Repeat(`(?:a{1000}){1}`, 50) + `$`); len(got) > maxMatch+1000 {
		t.Errorf("a large pattern gives %d bytes", len(got))
	}
}

func TestTolerant(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		matches       bool
	}{
		{`^a+$`, "aa", true},
		{`^a+$`, "ab", false},
		{`^(?!x).*$`, "x", false},
		{`^(?!x).*$`, "y", true},
		{`^(a|b)\1$`, "ab", false},
		{`^(?<q>a|b)\k<q>$`, "bb", true},
		{`(?<=\$)[0-9]+`, "5", false},
		{`^\u00e9$`, "é", true},
		{`^\s$`, "\u00a0", true},                              // as in JavaScript
		{`\Aab\z`, "xab", false},                              // Python's and Go's
		{`^a(?i)b$`, "aB", true},                              // Go's
		{`^\p{Lu}+$`, "ab", false},                            // with the flag u
		{`^(?=\p{Lu})a$`, "a", true},                          // not checked
		{`^(a`, "b", true},                                    // not checked
		{`^(?=a)(a+)+$`, strings.Repeat("a", 40) + "b", true}, // it takes too many steps
		{`^(?=a)(a+)+$`, strings.Repeat("a", 40), true},
		{`^(?=a)(a+)+$`, "b", false},
	} {
		m, _ := Tolerant(test.pattern, 1000)
		if got := m.MatchString(test.text); got != test.matches {
			t.Errorf("%s matches %q: %v, want %v", test.pattern, test.text, got, test.matches)
		}
		if m.String() != test.pattern {
			t.Errorf("%s says that it is %s", test.pattern, m)
		}
	}
}
