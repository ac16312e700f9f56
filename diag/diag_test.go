package diag_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
)

var (
	ruleOdd  = diag.Define("test-odd", diag.Warning, "Something is odd.")
	ruleAway = diag.Define("test-away", diag.Error, "Something is not there.")
)

func TestRules(t *testing.T) {
	all := diag.Rules()
	if !slices.IsSortedFunc(all, func(a, b *diag.Rule) int { return strings.Compare(a.Code, b.Code) }) {
		t.Error("the rules are not in order")
	}
	if !slices.Contains(all, ruleOdd) || !slices.Contains(all, ruleAway) {
		t.Error("a rule that is defined is not listed")
	}
	defer func() {
		if recover() == nil {
			t.Error("a code is taken twice")
		}
	}()
	diag.Define("test-odd", diag.Error, "Something else.")
}

func TestReport(t *testing.T) {
	at := diag.Range{Start: diag.Pos{Line: 1, Column: 2, Offset: 1}, End: diag.Pos{Line: 1, Column: 4, Offset: 3}}
	var l diag.List
	l.Report(ruleOdd, "/nodes/0", at, "%q is odd", "x").Hint = "look"
	if l.HasErrors() {
		t.Error("a warning is an error")
	}
	l.Report(ruleAway, "", diag.Range{}, "nothing is there")
	if !l.HasErrors() {
		t.Error("an error is not one")
	}
	d := l[0]
	if d.Code != "test-odd" || d.Severity != diag.Warning || d.Path != "/nodes/0" || d.Range != at || d.Message != `"x" is odd` || d.Hint != "look" {
		t.Errorf("reported is %+v", d)
	}
	if d.Range.IsZero() || !l[1].Range.IsZero() {
		t.Error("which place is known is wrong")
	}
	if w := l.With(diag.Warning); len(w) != 1 || w[0] != d {
		t.Errorf("the warnings are %v", w)
	}
	if n := l.With(diag.Note); n == nil || len(n) != 0 {
		t.Errorf("the notes are %#v, want an empty list", n)
	}
}

// Findings come in the order of their places, those of one place by path, code and
// message, however they were found; the same finding twice is one.
func TestSort(t *testing.T) {
	at := func(offset int) diag.Range {
		return diag.Range{Start: diag.Pos{Line: 1, Column: offset + 1, Offset: offset}, End: diag.Pos{Line: 1, Column: offset + 2, Offset: offset + 1}}
	}
	wide := at(9)
	wide.End.Offset = 20
	want := diag.List{
		{Range: at(2), Path: "/b", Code: "x", Message: "m"},
		{Range: at(9), Path: "/a", Code: "y", Message: "m"},
		{Range: at(9), Path: "/b", Code: "x", Message: "m"},
		{Range: at(9), Path: "/b", Code: "x", Message: "n"},
		{Range: at(9), Path: "/b", Code: "z", Message: "a"},
		{Range: wide, Path: "/c", Code: "a", Message: "a"},
		{Range: at(10), Path: "/a", Code: "a", Message: "a"},
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var found diag.List
		for _, d := range want {
			for range 1 + random.IntN(3) {
				again := *d
				found = append(found, &again)
			}
		}
		random.Shuffle(len(found), func(i, j int) { found[i], found[j] = found[j], found[i] })
		got := found.Sort()
		if !slices.EqualFunc(got, want, func(a, b *diag.Diagnostic) bool {
			return a.Range == b.Range && a.Path == b.Path && a.Code == b.Code && a.Message == b.Message
		}) {
			t.Fatalf("sorted are %d:\n%s", len(got), diag.Format("g", "", got))
		}
	}
}

// Two findings that differ only in how far they reach are two.
func TestSortKeepsWhatDiffers(t *testing.T) {
	one := diag.Range{End: diag.Pos{Line: 1, Column: 2, Offset: 1}}
	two := diag.Range{End: diag.Pos{Line: 1, Column: 3, Offset: 2}}
	if got := (diag.List{{Range: one}, {Range: two}}).Sort(); len(got) != 2 {
		t.Errorf("%d are left", len(got))
	}
}

func TestFault(t *testing.T) {
	f := diag.Faultf("not-there", "cannot read %q: %w", "a.yaml", fs.ErrNotExist)
	if f.Code != "not-there" || f.Message != `cannot read "a.yaml": file does not exist` || f.Error() != f.Message {
		t.Errorf("%+v", f)
	}
	if !errors.Is(f, fs.ErrNotExist) {
		t.Error("the cause is lost")
	}
	f.Node = "read"
	if f.Error() != `node "read": `+f.Message {
		t.Errorf("of a node: %s", f.Error())
	}
	b := diag.BadArgument("/limit", "1-50", "limit is %d", 90)
	if b.Code != "bad-argument" || b.Path != "/limit" || b.Hint != "1-50" || b.Message != "limit is 90" {
		t.Errorf("%+v", b)
	}
}

func TestQuote(t *testing.T) {
	for s, want := range map[string]string{
		"":                      `""`,
		strings.Repeat("ä", 41): `"` + strings.Repeat("ä", 41) + `"`,
		strings.Repeat("ä", 42): `"` + strings.Repeat("ä", 40) + `…"`,
	} {
		if got := diag.Quote(s); got != want {
			t.Errorf("%q is quoted %s", s, got)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1 KiB", 1025: "1025 bytes", 1 << 20: "1 MiB", 3 << 19: "1536 KiB", 256 << 20: "256 MiB", 1<<20 + 1: "1048577 bytes"} {
		if got := diag.Bytes(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

func TestJoinHints(t *testing.T) {
	if got := diag.JoinHints("", "its stderr ends:\nno", "try again", "", "or not"); got != "try again; or not; its stderr ends:\nno" {
		t.Error(got)
	}
}
