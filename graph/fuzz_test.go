package graph

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
)

func FuzzParse(f *testing.F) {
	for _, s := range append(shapes, broken...) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 1<<14 {
			return
		}
		d, l := Parse("x", src)
		for _, x := range l {
			if x.Range.Start.Offset < 0 || x.Range.End.Offset < x.Range.Start.Offset || x.Range.End.Offset > len(src) {
				t.Fatalf("%q: %s at %v", src, x.Message, x.Range)
			}
			for _, fix := range x.Fixes {
				after, rest := Parse("x", diag.ApplyEdits(src, fix.Edits))
				if after != nil && len(rest) > 0 && rest[0].Message == x.Message && rest[0].Range == x.Range {
					t.Fatalf("%q: the fix %q leaves %q", src, fix.Title, x.Message)
				}
			}
		}
		diag.Format("x", src, l)
		if d == nil {
			if !l.HasErrors() {
				t.Fatalf("%q: no document and no error", src)
			}
			return
		}
		checkPlaces(t, d)
		sorts(t, d.Root)
		again, err := readDatum(d.Root.JSON())
		if err != nil || !again.equal(d.Root.n.datum()) {
			t.Fatalf("%q: JSON %s: %v", src, d.Root.JSON(), err)
		}
		encoded := string(Encode(d.Root))
		if e, l := Parse("x", encoded); e == nil || !e.Root.n.datum().equal(again) {
			t.Fatalf("%q: encoded %q %s", src, encoded, diag.Format("x", encoded, l))
		}
	})
}

func FuzzFix(f *testing.F) {
	for i, s := range shapes {
		f.Add(s, uint16(i), uint8(i))
	}
	f.Fuzz(func(t *testing.T, src string, which uint16, n uint8) {
		if len(src) > 1<<12 {
			return
		}
		d, _ := Parse("x", src)
		if d == nil {
			return
		}
		for _, x := range [...]string{ruleSecond.Code, ruleAlias.Code} {
			if _, l := Parse("x", src); len(l) > 0 && l[0].Code == x {
				return
			}
		}
		var values []Value
		walk(d.Root, func(v Value) {
			if !v.n.key && !hidden(v) {
				values = append(values, v)
			}
		})
		v := values[int(which)%len(values)]
		for _, fix := range fixesOf(v, int(n)) {
			same(t, d, fix, v.Path())
		}
	})
}
