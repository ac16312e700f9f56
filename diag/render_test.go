package diag_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/diag"
)

// rangeOf is the place of the first part of src.
func rangeOf(t *testing.T, src, part string) diag.Range {
	t.Helper()
	at := strings.Index(src, part)
	if at < 0 {
		t.Fatalf("no %q in %q", part, src)
	}
	pos := func(offset int) diag.Pos {
		before := src[:offset]
		line := before[strings.LastIndexByte(before, '\n')+1:]
		return diag.Pos{Line: strings.Count(before, "\n") + 1, Column: utf8.RuneCountInString(line) + 1, Offset: offset}
	}
	return diag.Range{Start: pos(at), End: pos(at + len(part))}
}

func TestFormat(t *testing.T) {
	for name, c := range map[string]struct {
		src, at string
		want    string
	}{
		"a word": {"id: a\nnext: exti\n", "exti", `
g.yaml:2:7: error: wrong [bad]
   2 | next: exti
     |       ^~~~
`},
		"behind text that is not ASCII": {"größe: {🐘: exti}", "exti", `
g.yaml:1:12: error: wrong [bad]
   1 | größe: {🐘: exti}
     |            ^~~~
`},
		"behind a tab, in a line that ends with CRLF": {"\tnext:\texti\r\nid: a\r\n", "exti", `
g.yaml:1:8: error: wrong [bad]
   1 |  next: exti
     |        ^~~~
`},
		"several lines": {"a: |\n  one\n  two\n", "one\n  two", `
g.yaml:2:3: error: wrong [bad]
   2 |   one
     |   ^
`},
		"an empty place at the end": {"next:", "", `
g.yaml:1:1: error: wrong [bad]
   1 | next:
     | ^
`},
	} {
		t.Run(name, func(t *testing.T) {
			l := diag.List{{Code: "bad", Severity: diag.Error, Message: "wrong", Range: rangeOf(t, c.src, c.at)}}
			if got := diag.Format("g.yaml", c.src, l); got != c.want[1:] {
				t.Errorf("got\n%s\nwant\n%s", got, c.want[1:])
			}
		})
	}
}

// What explains a finding and what to do about it follow its place, of its fixes the first.
func TestFormatExplains(t *testing.T) {
	src := "a: 1\na: 2\n"
	l := diag.List{
		{
			Code: "duplicate-key", Severity: diag.Error, Message: "a occurs twice", Hint: "remove one", Range: rangeOf(t, src, "a: 2"),
			Related: []diag.Related{{Range: rangeOf(t, src, "a: 1"), Message: "the first one"}},
			Fixes:   []diag.Fix{{Title: "remove it"}, {Title: "rename it"}},
		},
		{Code: "no-place", Severity: diag.Warning, Message: "somewhere"},
	}
	want := `g.yaml:2:1: error: a occurs twice [duplicate-key]
   2 | a: 2
     | ^~~~
     = hint: remove one
     = note: g.yaml:1:1: the first one
     = fix: remove it
g.yaml: warning: somewhere [no-place]
`
	if got := diag.Format("g.yaml", src, l); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A place of a document that is longer than the text at hand is given without its line.
func TestFormatWithoutTheLine(t *testing.T) {
	at := diag.Pos{Line: 9, Column: 2, Offset: 80}
	l := diag.List{{Code: "bad", Severity: diag.Note, Message: "wrong", Range: diag.Range{Start: at, End: at}}}
	if got, want := diag.Format("g.yaml", "a: 1\n", l), "g.yaml:9:2: note: wrong [bad]\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Of a long line what is around the place is shown, and the caret stands under it.
func TestFormatLongLines(t *testing.T) {
	for _, before := range []int{0, 10, 79, 80, 81, 100, 159, 160, 161, 5000} {
		for _, after := range []int{0, 10, 100, 5000} {
			src := strings.Repeat("ä", before) + "WRONG" + strings.Repeat("ö", after)
			l := diag.List{{Code: "bad", Severity: diag.Error, Message: "wrong", Range: rangeOf(t, src, "WRONG")}}
			lines := strings.Split(diag.Format("g.yaml", src, l), "\n")
			text, caret := []rune(lines[1]), []rune(lines[2])
			if len(text) > 180 {
				t.Errorf("%d before and %d after: %d runes are shown", before, after, len(text))
			}
			from := strings.IndexByte(lines[2], '^')
			if end := len(caret); from < 0 || end > len(text) || string(text[from:end]) != "WRONG" {
				t.Errorf("%d before and %d after:\n%s\n%s", before, after, lines[1], lines[2])
			}
		}
	}
}

func TestApplyEdits(t *testing.T) {
	for name, c := range map[string]struct {
		edits []diag.TextEdit
		want  string
	}{
		"none":                  {nil, "grün und blau"},
		"in any order":          {[]diag.TextEdit{{Start: 10, End: 14, New: "rot"}, {Start: 0, End: 5, New: "gelb"}}, "gelb und rot"},
		"next to each other":    {[]diag.TextEdit{{Start: 5, End: 6, New: "-"}, {Start: 0, End: 5, New: "gelb"}}, "gelb-und blau"},
		"insertions in a place": {[]diag.TextEdit{{Start: 5, End: 5, New: "1"}, {Start: 5, End: 5, New: "2"}}, "grün12 und blau"},
		"at both ends":          {[]diag.TextEdit{{Start: 14, End: 14, New: ">"}, {Start: 0, End: 0, New: "<"}}, "<grün und blau>"},
		"all of it":             {[]diag.TextEdit{{Start: 0, End: 14}}, ""},
	} {
		given := append([]diag.TextEdit(nil), c.edits...)
		if got := diag.ApplyEdits("grün und blau", c.edits); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		for i := range given {
			if given[i] != c.edits[i] {
				t.Errorf("%s: the caller's edits are in another order", name)
			}
		}
	}
}

// Of findings whose first fixes touch the same text the first is mended; a finding
// without a fix in the text is left, and only the first of several fixes is made.
func TestApply(t *testing.T) {
	edit := func(start, end int, text string) diag.Fix {
		return diag.Fix{Edits: []diag.TextEdit{{Start: start, End: end, New: text}}}
	}
	for name, c := range map[string]struct {
		fixes   [][]diag.Fix
		want    string
		applied int
	}{
		"apart":              {[][]diag.Fix{{edit(0, 1, "A")}, {edit(2, 3, "C")}}, "AbCd", 2},
		"overlapping":        {[][]diag.Fix{{edit(0, 2, "X")}, {edit(1, 3, "Y")}, {edit(3, 4, "Z")}}, "XcZ", 2},
		"inside another":     {[][]diag.Fix{{edit(0, 4, "X")}, {edit(1, 2, "Y")}}, "X", 1},
		"an insertion at":    {[][]diag.Fix{{edit(1, 2, "X")}, {edit(2, 2, "Y")}}, "aXcd", 1},
		"an insertion first": {[][]diag.Fix{{edit(2, 2, "X")}, {edit(0, 2, "Y")}}, "abXcd", 1},
		"two insertions":     {[][]diag.Fix{{edit(2, 2, "X")}, {edit(2, 2, "Y")}}, "abXcd", 1},
		"side by side":       {[][]diag.Fix{{edit(0, 2, "X")}, {edit(2, 4, "Y")}}, "XY", 2},
		"the first of two":   {[][]diag.Fix{{edit(0, 1, "X"), edit(3, 4, "Y")}}, "Xbcd", 1},
		"none, and no edits": {[][]diag.Fix{nil, {{Title: "ask someone"}}}, "abcd", 0},
	} {
		var l diag.List
		for _, fixes := range c.fixes {
			l = append(l, &diag.Diagnostic{Fixes: fixes})
		}
		if got, applied := diag.Apply("abcd", l); got != c.want || applied != c.applied {
			t.Errorf("%s: %d fixes give %q, want %d and %q", name, applied, got, c.applied, c.want)
		}
	}
}
