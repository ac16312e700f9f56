package app_test

import (
	"fmt"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// TestFixesThatDoNotHelp: a fix whose result has as many errors is not offered, and
// apply_fixes leaves the text as it is. Here it would leave half of a comparison.
func TestFixesThatDoNotHelp(t *testing.T) {
	const graph = `nodes:
  - {id: entry, type: entry, next: choose}
  - {id: choose, type: switch, conditions: [{rule: %s, next: exit}], next: exit}
  - {id: exit, type: exit, result: 1}
`
	for rule, fixes := range map[string]int{
		`{gt: [{var: $.entry.n}, 3]}`:        1, // to >
		`{">": [{var: "$.entry.n ==="}, 3]}`: 0, // to =, behind which there is nothing
	} {
		pb := app.New(app.Options{})
		in := author.ValidateInput{GraphInput: plans.FromText("graph.yaml", fmt.Sprintf(graph, rule), "")}
		r, fault := pb.Validate(t.Context(), in)
		if fault != nil {
			t.Fatal(fault)
		}
		offered := 0
		for _, d := range r.Errors {
			offered += len(d.Fixes)
		}
		if len(r.Errors) != 1 || offered != fixes {
			t.Errorf("%s: %d fixes are offered, want %d:\n%s", rule, offered, fixes, r.Rendered)
		}
		in.ApplyFixes = true
		fixed, fault := pb.Validate(t.Context(), in)
		if fault != nil {
			t.Fatal(fault)
		}
		if changed := fixed.Diff != ""; changed != (fixes > 0) || fixed.Valid != changed {
			t.Errorf("%s: valid is %t after %s", rule, fixed.Valid, fixed.Diff)
		}
	}
}
