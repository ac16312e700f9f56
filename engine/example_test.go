package engine_test

import (
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
)

// Checking a graph is compiling it. A diagnostic says where, why, and how to
// repair it; the repairs can be applied.
func ExampleCompile() {
	src := `nodes:
  - {id: entry, type: entry, next: total}
  - {id: total, type: transform, transform: {expr: $sum($.entry.items.price)}, nxt: exit}
  - {id: exit, type: exit}
`
	check := func(src string) (*engine.Plan, diag.List) {
		doc, found := graph.Parse("order.yaml", src)
		if found.HasErrors() {
			return nil, found
		}
		return engine.Compile(doc, "", engine.Env{})
	}
	plan, found := check(src)
	fmt.Println("valid:", plan != nil)
	for _, d := range found {
		fmt.Printf("%s at line %d: %s (%s)\n", d.Code, d.Range.Start.Line, d.Message, d.Fixes[0].Title)
	}
	repaired, fixes := diag.Apply(src, found)
	plan, found = check(repaired)
	fmt.Printf("after %d fix: valid: %t, %d diagnostics\n", fixes, plan != nil, len(found))
	// Output:
	// valid: false
	// misspelt-key at line 3: a node of type transform has no field "nxt" (rename to "next")
	// after 1 fix: valid: true, 0 diagnostics
}
