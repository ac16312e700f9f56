package graph

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// fresh are values to write, each a different problem for a writer.
var fresh = []any{
	"new", "", "two\nlines", "it's: \"x\" # no", " lead", "yes", "1_000", 42, true, nil, "- x", "a\n\n  b\n\n", "\u2028é\t",
	[]any{},
	map[string]any{},
	[]any{"x", []any{1}},
	[]any{map[string]any{"a": "b\nc"}},
	Members{{"z", 1}, {"a", Members{{"expr", `{ "k": $f([1,2]) }`}}}},
	Members{{"id", "list"}, {"type", "mcp"}, {"server", "filesystem"}, {"tool", "list_directory"}, {"args", Members{{"path", "x: y"}}}, {"next", "elsewhere"}},
	json.RawMessage(`{"n":1.10,"big":1e999,"m":"l1\nl2\n"}`),
}

// fixesOf returns every kind of fix of v, n choosing what is written where.
func fixesOf(v Value, n int) []diag.Fix {
	value := fresh[n%len(fresh)]
	fixes := []diag.Fix{v.Replace("replace", value), v.Remove("remove")}
	switch v.Kind() {
	case Object:
		keys := v.Keys()
		after := ""
		if len(keys) > 0 {
			after = keys[n%len(keys)]
			for i, name := range []string{"renamed", "a: b", "", "null", "[é"} {
				if (n+i)%3 == 0 {
					fixes = append(fixes, v.RenameKey("rename", after, name))
				}
			}
		}
		fixes = append(fixes, v.Insert("insert", "added", value, after), v.Insert("insert", "x: y,", value, ""))
	case Array:
		fixes = append(fixes, v.Append("append", value), v.InsertItem("insert", n%(v.Len()+1), value), v.InsertItem("insert", 0, value))
	case Null:
		fixes = append(fixes, v.Insert("insert", "added", value, ""), v.Append("append", value))
	default:
		text := v.n.text
		i, j := clamp(text, n%(len(text)+1), n%(len(text)+1)+n%4)
		for _, s := range []string{"", "x", "'", `"`, "\n", ": ", "é", "\\", "\n  y", "\t"} {
			fixes = append(fixes, v.ReplaceText("text", diag.TextEdit{Start: i, End: j, New: s}))
		}
	}
	return fixes
}

// same fails unless the fix does the same to the text as to the data.
func same(t *testing.T, d *Document, f diag.Fix, at string) {
	t.Helper()
	if f.Patch == nil && f.Edits == nil {
		return
	}
	want, err := testenv.Patch(d.Root.JSON(), f.Patch)
	if err != nil {
		t.Fatalf("%q: %s of %s: %v", d.Src, f.Title, at, err)
	}
	src := diag.ApplyEdits(d.Src, f.Edits)
	if linked(d) {
		return
	}
	after, l := Parse("x", src)
	if after == nil {
		t.Fatalf("%q\n%s of %s\nedits %+v\n%s\n%s", d.Src, f.Title, at, f.Edits, src, diag.Format("x", src, l))
	}
	w, err := readDatum(want)
	if err != nil {
		t.Fatal(err)
	}
	if g := after.Root.n.datum(); !g.equal(w) {
		t.Fatalf("%q\n%s of %s\nedits %+v\ngives %q\ndata  %s\npatch %s", d.Src, f.Title, at, f.Edits, src, g.raw(), want)
	}
	left := strings.Split(src, "\n")
	for _, line := range comments(d, f.Edits) {
		i := slices.Index(left, line)
		if i < 0 {
			t.Fatalf("%q\n%s of %s\nedits %+v\ngives %q\nand the comment %q is gone", d.Src, f.Title, at, f.Edits, src, line)
		}
		left = slices.Delete(left, i, i+1)
	}
}

// hidden reports whether v is in the value of a key that does not count.
func hidden(v Value) bool {
	for n := v.n; n.parent != nil; n = n.parent {
		if n.key || Kind(n.parent.kind) == Object && n.parent.kids[n.index-1].again {
			return true
		}
	}
	return false
}

// linked reports whether one part of a document changes with another: aliases,
// which follow their anchors.
func linked(d *Document) bool {
	return strings.ContainsAny(d.Src, "*") && strings.Contains(d.Src, "&")
}

// comments returns the lines of d that are nothing but a comment and that edits
// do not touch.
func comments(d *Document, edits []diag.TextEdit) []string {
	var found []string
	at := 0
	for line := range strings.SplitSeq(d.Src, "\n") {
		touched := slices.ContainsFunc(edits, func(e diag.TextEdit) bool { return e.Start <= at+len(line) && e.End >= at })
		if strings.HasPrefix(strings.TrimSpace(line), "#") && !touched {
			found = append(found, line)
		}
		at += len(line) + 1
	}
	return found
}

func TestFixesAgreeWithTheirPatches(t *testing.T) {
	count := 0
	for i, src := range shapes {
		if testing.Short() && i%4 != 0 {
			continue
		}
		d, _ := Parse("x", src)
		walk(d.Root, func(v Value) {
			if v.n.key || hidden(v) {
				return
			}
			for n := range fresh {
				for _, f := range fixesOf(v, n) {
					count++
					same(t, d, f, fmt.Sprintf("%q, %d", v.Path(), n))
				}
			}
		})
	}
	t.Logf("%d fixes", count)
}
