package regex

import (
	"slices"
	"testing"
)

func TestHalves(t *testing.T) {
	const high, low = "\xed\xa0\xbd", "\xed\xb8\x80"
	for _, s := range []string{"", "plain text", "é€\ud7ff\ue000", "a😀b", high, low + "x" + high, high + "x" + low, "\U0010D83D", "😀\U0010FFFF" + high} {
		if got := Whole(Halves(s)); got != s {
			t.Errorf("the halves of %q, put together, are %q", s, got)
		}
	}
	if got := Whole(Halves(high) + Halves(low)); got != "😀" {
		t.Errorf("two halves that meet are %q", got)
	}
	for s, want := range map[string]bool{"": false, "abcdefghi": false, "abcdefgh한글é€": false, "abcdefg😀": true, "ééééééééé" + high: true} {
		if got := HasHalves(s); got != want {
			t.Errorf("whether %q has halves is %v", s, got)
		}
	}
}

// A pattern matches units: what node prints for the matches of text.match(/pattern/g).
func TestOfHalves(t *testing.T) {
	for _, c := range []struct {
		pattern, flags, text string
		want                 []string
	}{
		{".", "", "a😀", []string{"a", "\xed\xa0\xbd", "\xed\xb8\x80"}},
		{"😀+", "", "😀😀", []string{"😀", "😀"}},
		{"(?:😀)+", "", "😀😀", []string{"😀😀"}},
		{`\ud83d`, "", "😀", []string{"\xed\xa0\xbd"}},
		{`[\u0000-\uffff]+`, "", "a😀b", []string{"a😀b"}},
		{`[\ude00-\uffff]`, "", "😀￿", []string{"\xed\xb8\x80", "\uffff"}},
		{"[a-😀]+", "", "B😀a", []string{"😀a"}},
		{"[^😀]", "", "😁", []string{"\xed\xb8\x81"}},
		{`(?<=\ud83d).`, "", "😀", []string{"\xed\xb8\x80"}},
		{"B😀", "i", "b😀", []string{"b😀"}},
		{`[\ud800-\udfff]`, "i", "😀", []string{"\xed\xa0\xbd", "\xed\xb8\x80"}},
	} {
		re, err := Compile(c.pattern, c.flags)
		if err != nil {
			t.Fatal(err)
		}
		text := Halves(c.text)
		next := re.OfHalves().Matches(text, 0, func(int) {})
		var got []string
		for found := next(); found != nil; found = next() {
			got = append(got, Whole(text[found[0]:found[1]]))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("/%s/ in %q matches %q, want %q", c.pattern, c.text, got, c.want)
		}
	}
}
