package app_test

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/author"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// TestFixesAreBounded fixes a document of which one repair lays another bare. Where it is
// large, not all rounds are made, and what is left is reported.
func TestFixesAreBounded(t *testing.T) {
	const text = `inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
nodes:
  - {id: entry, type: entry}
  - {id: count, type: transform, transform: {expr: '{"length": $length($.entry.path)}'}}
  - {id: double, type: transform, transform: {expr: '{"value": 2 * $.count.lenght}'}}
  - {id: exit, type: exit}
edges:
  - {from: entry, to: count}
  - {from: count, to: double}
  - {from: double, to: exti}
`
	pb := product(t)
	rounds := func(text string) (left int, fixed bool) {
		r, fault := pb.Validate(t.Context(), author.ValidateInput{GraphInput: plans.FromText("g", text, ""), ApplyFixes: true})
		if fault != nil {
			t.Fatal(fault)
		}
		return len(r.Errors), r.Diff != ""
	}
	if left, fixed := rounds(text); left > 0 || !fixed {
		t.Fatalf("of the small document %d errors are left", left)
	}
	if left, fixed := rounds("# " + strings.Repeat("x", 11<<17) + "\n" + text); left == 0 || !fixed {
		t.Errorf("the large document was checked until no error was left, or not fixed at all: %d errors left", left)
	}
}
