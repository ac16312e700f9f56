package diag_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		most int
		want int
	}{
		{"", "", 3, 0},
		{"", "abc", 3, 3},
		{"next", "next", 3, 0},
		{"next", "nexts", 3, 1}, // one insertion
		{"next", "nxt", 3, 1},   // one deletion
		{"next", "enxt", 3, 1},  // at the beginning, too
		{"next", "nest", 3, 1},  // one substitution
		{"next", "nxet", 3, 1},  // one transposition
		{"ca", "abc", 5, 3},     // a transposed pair is not edited again
		{"Next", "nEXT", 3, 0},  // capitals do not count
		{"grün", "grun", 3, 1},  // runes, not bytes
		{"🐘🐘", "🐘", 3, 1},       //
		{"kitten", "sitting", 3, 3},
		{"kitten", "sitting", 2, 3}, // larger than most: most+1
		{"abcdefgh", "z", 2, 3},
		{"abcd", "wxyz", 1, 2},
	} {
		if got := diag.Distance(c.a, c.b, c.most); got != c.want {
			t.Errorf("Distance(%q, %q, %d) is %d, want %d", c.a, c.b, c.most, got, c.want)
		}
		if got := diag.Distance(c.b, c.a, c.most); got != c.want {
			t.Errorf("Distance(%q, %q, %d) is %d, want %d", c.b, c.a, c.most, got, c.want)
		}
	}
}

// A word that has been compared with long texts is compared with short ones as if new.
func TestWordIsReusable(t *testing.T) {
	w := diag.NewWord("Größe")
	if w.Len() != 5 {
		t.Errorf("%d runes", w.Len())
	}
	others := []string{"Größenordnung", "Größe", "größe", "", "rGöße", "Größen"}
	for _, other := range slices.Concat(others, others) {
		if got, want := w.Distance(other, 9), diag.NewWord("Größe").Distance(other, 9); got != want {
			t.Errorf("distance to %q is %d, of a new word %d", other, got, want)
		}
	}
	if got := w.Distance("größe", 9); got != 1 {
		t.Errorf("a word minds capitals: distance %d", got)
	}
}

func TestClosest(t *testing.T) {
	names := []string{"entry", "exit", "transform", "switch", "wait", "Wait", "wail"}
	for _, c := range []struct{ given, want string }{
		{"transfrom", "transform"},
		{"tranfrm", "transform"}, // seven runes: two edits
		{"EXIT", "exit"},
		{"exti", "exit"},
		{"wait", "wait"}, // itself, before those that differ in capitals
		{"Wait", "Wait"},
		{"WAIT", "Wait"}, // the first in sorted order
		{"waif", "Wait"},
		{"swish", ""}, // five runes: one edit
		{"x", ""},
		{"", ""},
	} {
		if got := diag.Closest(c.given, names); got != c.want {
			t.Errorf("Closest(%q) is %q, want %q", c.given, got, c.want)
		}
	}
	if got := diag.Closest("a", nil); got != "" {
		t.Errorf("of no candidates %q is closest", got)
	}
}

func TestCloser(t *testing.T) {
	names := []string{"read_text", "read_file", "read_files", "Read_File", "write_file", "read_file"}
	got := diag.Closer("read_file", names, 10)
	if want := []string{"read_file", "Read_File", "read_files"}; !slices.Equal(got, want) {
		t.Errorf("close are %q, want %q", got, want)
	}
	if got := diag.Closer("read_file", names, 2); len(got) != 2 {
		t.Errorf("at most 2 of them are %q", got)
	}
}

func TestOneOf(t *testing.T) {
	names := []string{"c", "a", "b", "a"}
	for limit, want := range map[int]string{3: "a, b, c", 2: "a, b and 1 more", 1: "a and 2 more"} {
		if got := diag.OneOf(names, limit); got != want {
			t.Errorf("at most %d: %q, want %q", limit, got, want)
		}
	}
	if strings.Join(names, "") != "caba" {
		t.Errorf("the caller's names are %q now", names)
	}
}
