package graph

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/diag"
)

const authored = `# A graph.
tools:
  - name: t   # the tool
    nodes:
      # where it starts
      - id: entry
        type: entry
        next: lst   # typo

      - {id: count, type: transform, transform: {expr: $.a}, next: exit}
      - id: list   # lists
        type: mcp
        args:
          path:
            expr: |
              $.entry
                .dorectory
        # the way out
      - id: exit
`

// Edits leave comments, blank lines and order as the author has them.
func TestFixesKeepTheLayout(t *testing.T) {
	d := parse(t, authored)
	nodes := d.Root.At("/tools/0/nodes")
	text := nodes.At("/2/args/path/expr")
	typo := strings.Index(text.Text(), "dorectory")
	for _, c := range []struct {
		name     string
		fix      diag.Fix
		old, new string
	}{
		{"replace a scalar", nodes.At("/0/next").Replace("", "list"), "next: lst   # typo", "next: list   # typo"},
		{"replace by what needs quotes", nodes.At("/0/next").Replace("", "yes"), "next: lst   # typo", "next: 'yes'   # typo"},
		{
			"replace a scalar by a map", nodes.At("/0/next").Replace("", Members{{"z", 1}, {"a", "x, y"}}),
			"next: lst   # typo", "next: {z: 1, a: 'x, y'}   # typo",
		},
		{"replace a map by a scalar", nodes.At("/2/args").Replace("", nil), "args:\n          path:\n            expr: |\n              $.entry\n                .dorectory\n", "args: null\n"},
		{"rename a key", nodes.At("/2").RenameKey("", "args", "arguments"), "        args:\n", "        arguments:\n"},
		{"rename in brackets", nodes.At("/1").RenameKey("", "next", "to"), "next: exit}", "to: exit}"},
		{"insert behind a key", nodes.At("/2").Insert("", "server", "fs", "type"), "        type: mcp\n", "        type: mcp\n        server: fs\n"},
		{"insert at the end", nodes.At("/0").Insert("", "note", "a\nb", ""), "next: lst   # typo\n", "next: lst   # typo\n        note: |-\n          a\n          b\n"},
		{"insert in brackets", nodes.At("/1").Insert("", "timeoutMs", 5, "type"), "type: transform, ", "type: transform, timeoutMs: 5, "},
		{
			"insert a large map", nodes.At("/0").Insert("", "args", Members{{"a", strings.Repeat("x", 60)}, {"b", strings.Repeat("y", 60)}}, "type"), "        type: entry\n",
			"        type: entry\n        args:\n          a: " + strings.Repeat("x", 60) + "\n          b: " + strings.Repeat("y", 60) + "\n",
		},
		{"remove a member", nodes.At("/0/next").Remove(""), "        next: lst   # typo\n", ""},
		{"remove the first member", nodes.At("/0/id").Remove(""), "- id: entry\n        type: entry", "- type: entry"},
		{"remove a commented first member", nodes.At("/2/id").Remove(""), "- id: list   # lists\n        type: mcp", "- type: mcp"},
		{"remove in brackets", nodes.At("/1/transform").Remove(""), "transform: {expr: $.a}, ", ""},
		{"remove the last in brackets", nodes.At("/1/next").Remove(""), ", next: exit}", "}"},
		{"remove an item", nodes.At("/0").Remove(""), "      - id: entry\n        type: entry\n        next: lst   # typo\n", ""},
		{"remove the only member", nodes.At("/2/args/path").Remove(""), "args:\n          path:\n            expr: |\n              $.entry\n                .dorectory\n", "args: {}\n"},
		{"append an item", nodes.Append("", Members{{"id", "end"}, {"type", "exit"}}), "      - id: exit\n", "      - id: exit\n      - {id: end, type: exit}\n"},
		{"insert an item", nodes.InsertItem("", 1, Members{{"id", "new"}}), "# typo\n", "# typo\n      - {id: new}\n"},
		{"insert the first item", nodes.InsertItem("", 0, Members{{"id", "new"}}), "      - id: entry", "      - {id: new}\n      - id: entry"},
		{"edit inside a block", text.ReplaceText("", diag.TextEdit{Start: typo, End: typo + 9, New: "directory"}), ".dorectory", ".directory"},
		{"edit inside brackets", nodes.At("/1/transform/expr").ReplaceText("", diag.TextEdit{Start: 2, End: 3, New: "b"}), "{expr: $.a}", "{expr: $.b}"},
		{"edit that needs quotes", nodes.At("/1/transform/expr").ReplaceText("", diag.TextEdit{Start: 3, End: 3, New: "[0]"}), "{expr: $.a}", "{expr: '$.a[0]'}"},
	} {
		got := diag.ApplyEdits(authored, c.fix.Edits)
		want := strings.Replace(authored, c.old, c.new, 1)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: got:\n%s\nwant:\n%s", c.name, got, want)
		}
		same(t, d, c.fix, c.name)
	}
}

func TestFixesOfJSON(t *testing.T) {
	src := "{\n  \"a\": 1,\n  \"b\": {\"c\": [1, 2]}\n}\n"
	d := parse(t, src)
	for _, c := range []struct{ name, got, want string }{
		{"insert", diag.ApplyEdits(src, d.Root.Insert("", "n", Members{{"x", "é\n"}}, "a").Edits), "{\n  \"a\": 1,\n  \"n\": {\"x\": \"é\\n\"},\n  \"b\": {\"c\": [1, 2]}\n}\n"},
		{"append", diag.ApplyEdits(src, d.Root.At("/b/c").Append("", nil).Edits), "{\n  \"a\": 1,\n  \"b\": {\"c\": [1, 2, null]}\n}\n"},
		{"remove", diag.ApplyEdits(src, d.Root.At("/a").Remove("").Edits), "{\n  \"b\": {\"c\": [1, 2]}\n}\n"},
		{"rename", diag.ApplyEdits(src, d.Root.RenameKey("", "a", "z").Edits), "{\n  \"z\": 1,\n  \"b\": {\"c\": [1, 2]}\n}\n"},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

func TestRenameOntoATakenKeyIsRefused(t *testing.T) {
	if f := parse(t, "a: 1\nb: 2\n").Root.RenameKey("x", "a", "b"); f.Edits != nil || f.Patch != nil {
		t.Errorf("got %+v", f)
	}
}

func TestJoin(t *testing.T) {
	d := parse(t, authored)
	nodes := d.Root.At("/tools/0/nodes")
	for name, f := range map[string]diag.Fix{
		"two removals":  Join("", nodes.At("/0").Remove(""), nodes.At("/1").Remove("")),
		"two appends":   Join("", nodes.Append("", "x"), nodes.Append("", "y")),
		"mixed":         Join("", nodes.InsertItem("", 1, "x"), nodes.At("/2").RenameKey("", "args", "arguments"), nodes.At("/2/args/path").Replace("", 1), nodes.At("/0/type").Remove("")),
		"fields of one": Join("", nodes.At("/0/type").Replace("", "mcp"), nodes.At("/0").Insert("", "server", "a", "type"), nodes.At("/0").Insert("", "tool", "b", "type")),
	} {
		if len(f.Edits) == 0 {
			t.Errorf("%s: no edits", name)
		}
		same(t, d, f, name)
	}
	if f := Join("", nodes.Replace("", nil), nodes.At("/0/id").Replace("", "x")); f.Edits != nil {
		t.Error("edits inside of what is replaced are joined")
	}
}
