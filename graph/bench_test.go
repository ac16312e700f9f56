package graph

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// large returns a document with n nodes that hold expressions.
func large(n int) string {
	var b strings.Builder
	b.WriteString("name: big\nnodes:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - id: n%d # node\n    type: transform\n    transform: {expr: '{ \"count\": $count($split($.n%d.content, \"\\n\")) }'}\n    next: n%d\n", i, i, i+1)
	}
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{1000, 50_000} {
		src := large(n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if d, l := Parse("x", src); d == nil {
					b.Fatal(l)
				}
			}
		})
	}
	d, _ := Parse("x", large(1000))
	text := string(d.Root.JSON())
	b.Run("json", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			Parse("x", text)
		}
	})
}

func BenchmarkWithin(b *testing.B) {
	d, _ := Parse("x", large(1000))
	v := d.Root.At("/nodes/500/transform/expr")
	b.ReportAllocs()
	for b.Loop() {
		v.Within(10, 20)
	}
}

// A document of any shape is read in time linear in its size: what is quadratic
// would take minutes here, and the test's time limit ends it.
func TestHugeDocumentsEnd(t *testing.T) {
	size := 1 << 20
	if testing.Short() {
		size = 1 << 16
	}
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for name, src := range map[string]string{
		"brackets": fill("["), "braces": fill("{"), "dashes": fill("- "), "questions": fill("? "), "quotes": fill("'"),
		"one line": "a: " + fill("x"), "flow": "[" + fill("a, ") + "b]", "flow maps": "{a: [" + fill("{b: c}, ") + "d]}",
		"json": "[" + fill(`{"a":1},`) + "0]", "comments": fill("# c\n"), "blank": fill("\n"), "spaces": fill(" "),
		"colons": fill(": "), "aliases": "a: &x 1\nb: [" + fill("*x, ") + "]\n", "nulls": fill("a:\n"), "block": "a: |\n" + fill("  x\n"),
		"tabs": fill("\t"), "keys": func() string {
			var b strings.Builder
			for i := range size / 16 {
				fmt.Fprintf(&b, "k%d: 1\n", i)
			}
			return b.String()
		}(),
		"plain lines": "a: x\n" + fill("  y\n"), "json open": fill(`{"a":`), "unclosed": "a: '" + fill("x\n"), "flow comments": "[" + fill("a, # c\n") + "]",
	} {
		d, l := Parse("x", src)
		if d != nil && d.Root.Exists() {
			walkSome(d.Root, 2000)
		}
		if d == nil && !l.HasErrors() {
			t.Errorf("%s: no document and no error", name)
		}
	}
}

// walkSome asks for the places of about n values.
func walkSome(v Value, n int) {
	count := 0
	step := max(1, len(v.n.kids)/n)
	for i := 0; i < len(v.n.kids); i += step {
		k := Value{v.n.kids[i]}
		_, _, _ = k.Path(), k.Range(), k.Within(0, 1)
		count++
	}
}
