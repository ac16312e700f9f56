package expr

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// What inference says of any text that parses is within the text.
func FuzzInfer(f *testing.F) {
	for _, src := range []string{
		`a.b[0].c`, `$f := function($x, $y)<n-n:n>{ $x }`, `a ~> |b|{"c": 1}, "d"|`, `list.items[price > 10].(price * qty)`,
		`a@$x.b#$i[%.c]^(>d){e: f}`, `$type(a) = "string" ? $uppercase(a) : a.b`,
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		ast, err := jsonata.Parse(src)
		if err != nil {
			t.Skip()
		}
		_, found := Infer(ast, inferred, nil)
		for _, e := range found {
			if e.Start < 0 || e.End > len(src) || e.Start > e.End || e.Message == "" || e.Code == "" {
				t.Fatalf("%+v of %d bytes", e, len(src))
			}
			diag.ApplyEdits(src, e.Edits)
		}
	})
}
