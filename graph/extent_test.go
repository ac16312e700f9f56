package graph

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
)

// walk visits v and everything below it, keys too.
func walk(v Value, visit func(Value)) {
	if !v.Exists() {
		return
	}
	visit(v)
	for _, k := range v.n.kids {
		walk(Value{k}, visit)
	}
}

// checkPlaces fails unless every value has a place within the text and within
// its parent's, and every scalar's text is found again at its place.
func checkPlaces(t *testing.T, d *Document) {
	t.Helper()
	walk(d.Root, func(v Value) {
		r := v.Range()
		if r.Start.Offset < 0 || r.End.Offset < r.Start.Offset || r.End.Offset > len(d.Src) {
			t.Fatalf("%q: %s: range %v", d.Src, v.Path(), r)
		}
		if p := v.Parent(); p.Exists() && !p.n.odd && (p.Range().Start.Offset > r.Start.Offset || p.Range().End.Offset < r.End.Offset) {
			t.Fatalf("%q: %s: range %v is not within the parent's %v", d.Src, v.Path(), r, p.Range())
		}
		if v.n.prop || v.n.style >= alias || v.n.style == empty || len(v.n.kids) > 0 {
			return
		}
		if v.n.style != plain || d.Format == YAML {
			if s := v.n.scan(true); string(s.text) != v.n.text {
				t.Fatalf("%q: %s: scanned %q, is %q", d.Src, v.Path(), s.text, v.n.text)
			}
		}
		last := -1
		for i := range len(v.n.text) + 1 {
			w := v.Within(i, i+1)
			if w.Start.Offset < max(last, r.Start.Offset) || w.End.Offset > r.End.Offset || w.End.Offset < w.Start.Offset {
				t.Fatalf("%q: %s: byte %d of %q is at %v, outside of %v", d.Src, v.Path(), i, v.n.text, w, r)
			}
			last = w.Start.Offset
		}
	})
}

func TestPlaces(t *testing.T) {
	for _, src := range shapes {
		d, l := Parse("x", src)
		if d == nil {
			t.Errorf("%q: %s", src, diag.Format("x", src, l))
			continue
		}
		checkPlaces(t, d)
	}
}
