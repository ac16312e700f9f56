package edit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	before := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"
	for _, c := range []struct{ name, before, after, want string }{
		{"nothing", before, before, ""},
		{"one line", before, strings.Replace(before, "e\n", "E\n", 1), "--- x\n+++ x\n@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n"},
		{"two hunks", before, "A\nb\nc\nd\ne\nf\ng\nh\ni\nJ\n", "--- x\n+++ x\n@@ -1,4 +1,4 @@\n-a\n+A\n b\n c\n d\n@@ -7,4 +7,4 @@\n g\n h\n i\n-j\n+J\n"},
		{"from nothing", "", "a\n", "--- x\n+++ x\n@@ -0,0 +1 @@\n+a\n"},
		{"last newline", "a\n", "a", "--- x\n+++ x\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"},
	} {
		if got := Diff("x", c.before, c.after); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// apply applies a diff; every line it shows must be where the diff says,
// or that is an error.
func apply(before, diff string) (string, error) {
	a := splitLines(before)
	var out strings.Builder
	at := 0
	lines := splitLines(diff)
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "@@"):
			var start int
			if _, err := fmt.Sscanf(line, "@@ -%d", &start); err != nil {
				return "", err
			}
			if start > 0 && !strings.Contains(line, ",0 +") {
				start--
			}
			for at < start {
				out.WriteString(a[at])
				at++
			}
		case line[0] == '\\':
		default:
			text := line[1:]
			if i+1 < len(lines) && lines[i+1][0] == '\\' {
				text = strings.TrimSuffix(text, "\n")
			}
			if line[0] != '+' {
				if at >= len(a) || a[at] != text {
					return "", fmt.Errorf("line %d is not %q", at, text)
				}
				at++
			}
			if line[0] != '-' {
				out.WriteString(text)
			}
		}
	}
	return out.String() + strings.Join(a[at:], ""), nil
}

func TestDiffApplies(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		var b strings.Builder
		for range r.IntN(n) {
			b.WriteString(string(rune('a'+r.IntN(4))) + "\n")
		}
		return b.String() + strings.Repeat("z", r.IntN(2))
	}
	for range 3000 {
		a, b := text(30), text(30)
		got, err := apply(a, Diff("", a, b))
		if err != nil || got != b {
			t.Fatalf("%q to %q by\n%s\ngives %q, %v", a, b, Diff("", a, b), got, err)
		}
	}
}

func TestDiffOfUnrelatedTextsEnds(t *testing.T) {
	var a, b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&a, "a%d\n", i)
		fmt.Fprintf(&b, "b%d\n", i)
	}
	if d := Diff("x", a.String(), b.String()); !strings.Contains(d, "-a99999\n") || !strings.Contains(d, "+b99999\n") {
		t.Error("the diff does not hold all lines")
	}
}

// Texts that differ in more edits than the limit are shown as replaced.
func TestDiffWithin(t *testing.T) {
	before, after := strings.Repeat("a\nsame\n", 50), strings.Repeat("b\nsame\n", 50)
	if got := DiffWithin("", before, after, 200); !strings.Contains(got, "\n same\n") {
		t.Errorf("of few edits, got %s", got)
	}
	if got := DiffWithin("", before, after, 20); strings.Contains(got, "\n same\n-") {
		t.Errorf("of many edits, got %s", got)
	}
}

// A graph of one line is compared in lines; any other text as it is.
func TestDiffOfOneLine(t *testing.T) {
	const before = `{"nodes": [{"id": "entry", "type": "entry", "next": "exti"}, {"id": "exit", "type": "exit"}]}`
	after := strings.Replace(before, "exti", "exit", 1)
	if got, want := DiffGraphs("", before, after, 0), "@@ -2 +2 @@\n-  - {id: entry, type: entry, next: exti}\n+  - {id: entry, type: entry, next: exit}\n"; got != want {
		t.Errorf("got\n%s", got)
	}
	for _, other := range []string{before + "\n# more\n", "{", strings.ReplaceAll(before, ": ", ":")} {
		if got := DiffGraphs("g", before, other, 3); got != Diff("g", before, other) || got == "" {
			t.Errorf("%s: got\n%s", other, got)
		}
	}
}
