package regex

import (
	"regexp"
	"testing"
)

// TestPortable: what is written for JavaScript matches what the pattern matched.
func TestPortable(t *testing.T) {
	texts := []string{"", "a", "A", "abc", "ABC", "aBc-1", "x y", "x\ty", "42", "a_b", "-", "é", "zz"}
	for pattern, want := range map[string]string{
		`^[a-z]+$`:             `^[a-z]+$`,
		`\A\w+\z`:              `^\w+$`,
		`\Aabc\z`:              `^abc$`,
		`(?i)^abc`:             `^[aA][bB][cC]`,
		`(?i)^[a-c_]+$`:        `^[a-cA-C_]+$`,
		`(?i)^x\sy$`:           `^[xX]\s[yY]$`,
		`^(?P<year>\d+)$`:      `^(\d+)$`,
		`^[[:alpha:]]+$`:       `^[a-zA-Z]+$`,
		`^\pL+$`:               `^\p{L}+$`,
		`^[[:alpha:]_\-1]+$`:   `^[a-zA-Z_\-1]+$`,
		`^a\_b\:?$`:            `^a_b:?$`,
		`^(?:(?:a|b)|\-)$`:     `^(?:(?:a|b)|-)$`,
		`^[[:xdigit:]]{1,4}\z`: `^[0-9a-fA-F]{1,4}$`,
	} {
		got, ok := Portable(pattern)
		if !ok || got != want {
			t.Errorf("%s: got %s (%t), want %s", pattern, got, ok, want)
			continue
		}
		was, is := regexp.MustCompile(pattern), regexp.MustCompile(got)
		for _, text := range texts {
			if was.MatchString(text) != is.MatchString(text) {
				t.Errorf("%s and %s differ on %q", pattern, got, text)
			}
		}
	}
	for pattern, want := range map[string]string{`^\d++$`: `^\d+$`, `^a\h*+b\Z`: `^a[ \t]*b$`, `^[\h]$`: `^[ \t]$`} { // Go does not read these
		if got, ok := Portable(pattern); !ok || got != want {
			t.Errorf("%s: got %s (%t), want %s", pattern, got, ok, want)
		}
	}
	for _, pattern := range []string{`a(?i)b`, `(?s)a.b`, `[`, `\p`, `(?<y>a)`, `[[:word:]]`} {
		if got, ok := Portable(pattern); ok {
			t.Errorf("%s: %s is taken for portable", pattern, got)
		}
	}
}
