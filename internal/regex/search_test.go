package regex

import (
	"strings"
	"testing"
)

// What a search reads counts, also behind the end of its match, and what it skips costs
// little.
func TestWorkOfSearches(t *testing.T) {
	const size = 3000
	for _, c := range []struct {
		pattern, text string
		least, most   int // steps for each byte
	}{
		{`b`, strings.Repeat("a", size), 0, 1},
		{`[bc]d`, strings.Repeat("a", size), 1, 5},
		{`\s+`, strings.Repeat("ab ", size/3), 1, 20},
		{`a(.*x)?`, strings.Repeat("a", size), size, 10 * size}, // each match reads all that follows
		{`(a.*z|a)`, strings.Repeat("a", size), size, 10 * size},
		{`^b`, strings.Repeat("a", size), 0, 1},
		{`(a|b)*c`, strings.Repeat("ab", size/2), 1, 20},
	} {
		re, err := Compile(c.pattern, "")
		if err != nil || re.re == nil {
			t.Fatal(c.pattern, err)
		}
		steps := 0
		next := re.Matches(c.text, 0, func(n int) { steps += n })
		for next() != nil {
			continue
		}
		if steps < c.least*size || steps > c.most*size+100 {
			t.Errorf("/%s/ counts %d steps on %d bytes, want %d to %d for each", c.pattern, steps, size, c.least, c.most)
		}
	}
}

// A search finds the same however much of the text it is given at once.
func TestSearchesOfLongTexts(t *testing.T) {
	for _, pattern := range []string{`b+`, `[xy]z?`, `(a+)(b)?c`, `^a.`, `ab{2,3}`, `\d+|x`, `(?:ab)*c`, `é.`} {
		re, err := Compile(pattern, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"abbbc x12 yz ", "ééa ", "aabc", "12"} {
			for _, n := range []int{1, 40, 3000} {
				text := strings.Repeat(part, n)
				var got, want []string
				next, back := re.Matches(text, 0, func(int) {}), (&Regexp{back: re.back}).Matches(text, 0, func(int) {})
				for m := next(); m != nil; m = next() {
					got = append(got, text[m[0]:m[1]])
				}
				for m := back(); m != nil; m = back() {
					want = append(want, text[m[0]:m[1]])
				}
				if strings.Join(got, "|") != strings.Join(want, "|") {
					t.Errorf("/%s/ in %d × %q: %d matches, want %d", pattern, n, part, len(got), len(want))
				}
			}
		}
	}
}
