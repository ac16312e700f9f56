package regex

import (
	"fmt"
	"strings"
	"testing"
)

func all(t *testing.T, pattern, flags, text string) string {
	t.Helper()
	re, err := Compile(pattern, flags)
	if err != nil {
		return "error: " + err.Error()
	}
	var out []string
	next := re.Matches(text, 0, func(int) {})
	for m := next(); m != nil && len(out) < 10; m = next() {
		var parts []string
		for i := 0; i < len(m); i += 2 {
			if m[i] < 0 {
				parts = append(parts, "-")
				continue
			}
			parts = append(parts, text[m[i]:m[i+1]])
		}
		out = append(out, strings.Join(parts, ","))
		if m[0] == m[1] {
			break
		}
	}
	return strings.Join(out, " ")
}

// TestCompile: the matches are JavaScript's.
func TestCompile(t *testing.T) {
	for _, test := range []struct{ pattern, flags, text, want string }{
		{`ab*(c|d)`, "", "abbc ad x", "abbc,c ad,d"},
		{`a(?=b)`, "", "ac ab", "a"},
		{`a(?!b)\w`, "", "ab ac", "ac"},
		{`(?<=\$)\d+`, "", "€5 $42", "42"},
		{`(?<!\$)\b\d+`, "", "$42 17", "17"},
		{`(\w)\1`, "", "hello aab", "ll,l aa,a"},
		{`\1(?:b)\101\9`, "", "\x01bA9", "\x01bA9"}, // octal, where the pattern has no such group
		{`(?<q>['"]).*?\k<q>`, "", `say "it's" 'x'`, `"it's"," 'x','`},
		{`(a)|(b)`, "", "ab", "a,a,- b,-,b"},
		{`(?:(a)|b)+`, "", "ab", "ab,-"},
		{`^.$`, "m", "a\nb\r\nc", "a b c"},
		{`^b`, "", "a\nb", ""},
		{`.+`, "", "a\u2028b", "a b"},
		{`.+`, "s", "a\nb", "a\nb"},
		{`[^]`, "", "x", "x"},
		{`[]`, "", "x", ""},
		{`É`, "i", "é", "é"},
		{`[a-f]+`, "i", "xDEf", "DEf"},
		{`[^a]`, "i", "Ab", "b"},
		{`k`, "i", "K\u212a", "K"},
		{`\s+`, "", "a\u00a0\ufeffb", "\u00a0\ufeff"},
		{`\u0041\x42\t`, "", "AB\t", "AB\t"},
		{`a{,2}b{`, "", "a{,2}b{", "a{,2}b{"},
		{`\/\-\_`, "", "/-_", "/-_"},
		{`a{1001}`, "", strings.Repeat("a", 1001), strings.Repeat("a", 1001)},
		{`(z)((a+)?(b+)?(c))*`, "", "zaacbbbcac", "zaacbbbcac,z,ac,a,-,c"},
		{`(?=(a+))a*b\1`, "", "baaabac", "aba,a"},
		{`(?<=(\d+)(\d+))$`, "", "1053", ",1,053"},
		{`(.*?)a(?!(a+)b\2c)\2(.*)`, "", "baaabaac", "baaabaac,ba,-,abaac"},
		{`\bfoo\B`, "", "foo food", "foo"},
		{`a*?b`, "", "aab", "aab"},
		{`(?:a|ab)(?:c|bcd)(?:d*)`, "", "abcd", "abcd"},
		{`(`, "", "", "error: a bracket is never closed"},
		{`a**`, "", "", "error: nothing to repeat"},
		{`[b-a]`, "", "", "error: the ends of a range are out of order"},
	} {
		if got := all(t, test.pattern, test.flags, test.text); got != test.want {
			t.Errorf("/%s/%s in %.40q gives %q, want %q", test.pattern, test.flags, test.text, got, test.want)
		}
	}
}

// Backtracking that does not end is ended by what counts its steps.
func TestStepsAreCounted(t *testing.T) {
	re, err := Compile(`(x+x+)+y(?=z)`, "")
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	defer func() {
		if r := recover(); r != "enough" {
			t.Errorf("it ends with %v", r)
		}
	}()
	re.Matches(strings.Repeat("x", 40), 0, func(n int) {
		if steps += n; steps > 100_000 {
			panic("enough")
		}
	})()
	t.Error("it ends after", steps)
}

// FuzzCompile: RE2 and backtracking find the same.
func FuzzCompile(f *testing.F) {
	for _, p := range []string{`a(b|c)*d?`, `[^\w]+|x{2,3}`, `\b(?:ab)+\s`, `^a.$`, `(a|b)(c)?`} {
		f.Add(p, "abcd ab x xx\nabab cc")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		re, err := Compile(pattern, "")
		if err != nil || re.re == nil || len(text) > 200 {
			return
		}
		defer func() {
			if r := recover(); r != nil && r != "enough" {
				panic(r)
			}
		}()
		steps := 0
		work := func(n int) {
			if steps += n; steps > 1_000_000 {
				panic("enough")
			}
		}
		a, b := re.Matches(text, 0, work), (&Regexp{back: re.back}).Matches(text, 0, work)
		for range 20 {
			x, y := a(), b()
			if fmt.Sprint(x) != fmt.Sprint(y) {
				t.Fatalf("/%s/ in %q: RE2 finds %v, backtracking %v", pattern, text, x, y)
			}
			if x == nil {
				return
			}
		}
	})
}
