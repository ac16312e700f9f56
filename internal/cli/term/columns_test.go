package term

import (
	"strings"
	"testing"
	"time"
)

func TestColumns(t *testing.T) {
	p := &Page{Color: true}
	for text, want := range map[string]int{"": 0, "abc": 3, "漢字": 4, "e\u0301": 1, "é": 1, "🙂": 2, p.Paint(Bad, "漢"): 2, "ｆ": 2} {
		if got := Columns(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
	for _, c := range []struct {
		text string
		n    int
		want string
	}{{"漢字漢字", 8, "漢字漢字"}, {"漢字漢字", 7, "漢字漢…"}, {"漢字漢字", 6, "漢字…"}, {"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"abc", 0, ""}} {
		if got := cutColumns(c.text, c.n); got != c.want || Columns(got) > c.n {
			t.Errorf("%q in %d columns is %q, want %q", c.text, c.n, got, c.want)
		}
	}
	painted := p.Paint(Bad, "abcdef")
	if got := colored(cutColumns(painted, 4)); got != "\x1b[31mabc…\x1b[0m" {
		t.Errorf("cut in a colour: %q", got)
	}
	if got := Pad("漢字", 6) + "|"; got != "漢字  |" {
		t.Errorf("padded: %q", got)
	}
}

func TestTableAlignsWideCharacters(t *testing.T) {
	list := NewTable("name", "n")
	list.Add("漢字", "1")
	list.Add("abcdef", "2")
	var b strings.Builder
	list.Write(&Page{Writer: &b})
	if want := "NAME    N\n漢字    1\nabcdef  2\n"; b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

func TestAgo(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.Local)
	for d, want := range map[time.Duration]string{
		0: "0s ago", 59 * time.Second: "59s ago", time.Minute: "1m ago", 3*time.Hour + time.Minute: "3h ago", 30 * 24 * time.Hour: "30d ago",
		31 * 24 * time.Hour: "2026-10-26", -200 * 365 * 24 * time.Hour: "2226-10-09", -90 * time.Second: "in 1m", -25 * time.Hour: "in 1d",
	} {
		if got := Ago(now.Add(-d), now); got != want || Columns(got) > MinColumn {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	p := &Page{Color: true}
	for text, want := range map[string]string{
		"short\n": "short\n",
		"patchbay: one two three four [code]\n  hint: do this and that\n":                     "patchbay: one two\n  three four\n  [code]\n  hint: do this\n    and that\n",
		"see /a/path/that/is/wider/than/all then go\n":                                        "see\n  /a/path/that/is/wider/than/all\n  then go\n",
		p.Paint(Bad, "FAIL") + "  its process ended at once":                                  p.Paint(Bad, "FAIL") + "  its process\n      ended at\n      once",
		"漢字 漢字 漢字 漢字":                                                                         "漢字 漢字 漢字\n  漢字",
		"   7 | abcdefghijklmnopqrstuvwxyz\n     |                    ^~~~\n     = hint: x\n": "   7 | …pqrstuvwx…\n     |      ^~~~\n     = hint: x\n",
		"   7 | abcdefghijklmnopqrstuvwxyz\n     |   ^~~~~~~~~~~~~~~~~~~~\n":                  "   7 | abcdefghij…\n     |   ^~~~~~~~~\n",
	} {
		if got := Wrap(text, 18); got != want {
			t.Errorf("%q\nbecomes %q\nwant    %q", text, got, want)
		}
	}
	if got := Wrap("one two", 0); got != "one two" {
		t.Errorf("without a width: %q", got)
	}
}
