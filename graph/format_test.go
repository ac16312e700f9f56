package graph

import (
	"testing"
)

// nodeKeys is the order of the keys of nodes in tests.
func nodeKeys(string) []string {
	return []string{"id", "type", "server", "tool", "args", "transform", "conditions", "", "retry", "onError", "next"}
}

func TestCanonical(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"keys in order, comments with them", `# What it does.
# More.
nodes:   # of the graph
    # The start.
    -   type: entry   # t
        id: "entry"
        next: exit
    - { type: exit,id: exit }


    # The end.
description: |
     Adds
       up
# The name.
name: sum
# Last.
`, `# What it does.
# More.
# The name.
name: sum
description: |
  Adds
    up
nodes: # of the graph
  # The start.
  - id: "entry"
    type: entry # t
    next: exit
  - {id: exit, type: exit}

  # The end.
# Last.
`},
		{"texts of several lines", `nodes:
- id: a
  transform:
     expr: |2-
        first

         second
  type: >
      folded
      text
  "more": 'quoted
      on'
  plain: on
         and on
`, `nodes:
  - id: a
    type: >
      folded
      text
    transform:
      expr: |2-
         first

          second
    "more": 'quoted
      on'
    plain: on
      and on
`},
		{"brackets", `nodes: [
    {type: entry,  id: a , next: b},   # first
    { id: b,
      type: x , args: {q:  1,a: [ 1,2 ]}}
    ]
`, `nodes: [
    {id: a, type: entry, next: b},   # first
    { id: b,
      type: x , args: {q: 1, a: [1, 2]}}
    ]
`},
		{"JSON", "{\"nodes\": [{\"type\":\"entry\",\"n\":1.50,\"id\":\"\\u00e9\"}, {}],\r\n\"name\":\"a\"}", `{
  "name": "a",
  "nodes": [
    {
      "id": "\u00e9",
      "type": "entry",
      "n": 1.50
    },
    {}
  ]
}
`},
		{"line ends", "name: a   \r\nnodes:\r\n\r\n  - {id: a}\t\r\n\r\n\r\n  - {id: b}", "name: a\nnodes:\n  - {id: a}\n\n  - {id: b}\n"},
		{"conditions", "nodes:\n  - id: s\n    conditions:\n      - next: a\n        rule: {\"==\": [1, 1]}\n", "nodes:\n  - id: s\n    conditions:\n      - rule: {\"==\": [1, 1]}\n        next: a\n"},
		{"comments with other line ends", "# a\r\nname: x # b\r\n# c\r\n", "# a\nname: x # b\n# c\n"},
		{"lists in lists", "x:\n-\n # c\n - 1\n - - 2\n   - 3\n", "x:\n  # c\n  - - 1\n    - - 2\n      - 3\n"},
		{"texts that keep empty lines", "x: |+\n   a\n\n\n# c\nname: n\ny: |+\n   b\n\n", "# c\nname: n\nx: |+\n  a\n\n\ny: |+\n  b\n\n"},
		{"comments before a value", "name: # n\n  x\nb:\n  # own\n  'y'\n", "name: x # n\n# own\nb: 'y'\n"},
		{"a comment above the dash", "nodes:\n  -\n    # about the type\n    type: x\n    # about the id\n    id: a\n", "nodes:\n  # about the id\n  - id: a\n    # about the type\n    type: x\n"},
		{"keys that are not of the format stay", "zebra: 1\napple: 2\nname: a\n", "name: a\nzebra: 1\napple: 2\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Canonical("g", tt.in, nodeKeys)
			if err != nil {
				d, _ := Parse("g", tt.in)
				t.Fatalf("%v\n%s", err, d.canonical(nodeKeys))
			}
			if got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
		})
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, in := range []string{"a: 1\na: 2\n", "nodes: [", "", "- a", "a: &x 1\nb: *x\n", "a: 1\n---\nb: 2\n"} {
		if got, err := Canonical("g", in, nodeKeys); err == nil {
			t.Errorf("%q became %q", in, got)
		}
	}
}

// The canonical form of any text is that of itself, and means the same.
func FuzzCanonical(f *testing.F) {
	for _, in := range []string{
		"# a\nnodes:\n  - id: a # b\n    type: x\n# c\n", "{a: [1,\n  2], # c\n b: {c: d}}", "a: |+\n  x\n\n# c\nb: >-\n y\n\n  z\n",
		"a:\n- - 1\n  - 2\n-\n - 3\n", "? a\n: b\n", "a: 'x\n\n  y'\n\"b\": [{c: }, d: e]\n", "{\"a\": [1e3, {}]}", "---\n# x\na: b\n...\n", "nodes: # x\n  # y\n  - # z\n    id: a\n\n\n  # w\nname: b",
		"a: - b\n", "a: \"x\\\n   y\" # c\n", "a: b #c\n #d\nc: [a, # e\n b]\n",
	} {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out, err := Canonical("g", in, nodeKeys)
		if err != nil {
			return
		}
		if again, err := Canonical("g", out, nodeKeys); err != nil || again != out {
			t.Errorf("%q became %q, and then %q: %v", in, out, again, err)
		}
	})
}
