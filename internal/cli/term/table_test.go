package term

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTable(t *testing.T) {
	show := func(width int, rows ...[]any) string {
		list := NewTable("name", "n", "gone", "text")
		for _, row := range rows {
			list.Add(row...)
		}
		var b strings.Builder
		list.Write(&Page{Writer: &b, Width: width})
		return b.String()
	}
	rows := [][]any{{"short", 7, "", "a text\nof two lines that is rather long"}, {"a-name-of-twenty-four-ch", 1234, "", "ö"}}
	want := "" +
		"NAME                         N  TEXT\n" +
		"short                        7  a text of two lines that is rather long\n" +
		"a-name-of-twenty-four-ch  1234  ö\n"
	if got := show(0, rows...); got != want {
		t.Errorf("without a width:\n%s", got)
	}
	for width := 25; width < 80; width++ {
		for line := range strings.Lines(show(width, rows...)) {
			if n := utf8.RuneCountInString(line) - 1; n > max(width, 28) {
				t.Errorf("%d columns: a line of %d: %s", width, n, line)
			}
		}
	}
	want = "" +
		"NAME                         N  TEXT\n" +
		"short                        7  a text of…\n" +
		"a-name-of-twenty-four-ch  1234  ö\n"
	if got := show(42, rows...); got != want {
		t.Errorf("the last column is not shortened first:\n%s", got)
	}
	if got := show(80); got != "" {
		t.Errorf("an empty table is %q", got)
	}
}

// A shortened ID of a run still names it: commands take the end of an ID.
func TestTableKeepsTheEndOfAnID(t *testing.T) {
	list := NewTable("run", "arguments")
	list.Add(Cell{Text: "run_01KDX4A0B1C2D3E4F5G6H7J8K9", ID: true}, strings.Repeat("x", 60))
	var b strings.Builder
	list.Write(&Page{Writer: &b, Width: 24})
	if !strings.Contains(b.String(), "\n…4F5G6H7J8K9  x") {
		t.Errorf("printed:\n%s", b.String())
	}
}
