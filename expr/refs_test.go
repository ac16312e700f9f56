package expr

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/internal/tests/conformance"
	"github.com/patchbay-mcp/patchbay/jsonata"
)

// What the references leave out is not read: without it, the suite's
// expressions give the same.
func TestRefsMissNothing(t *testing.T) {
	removed := 0
	for _, c := range conformance.Cases(t) {
		ast, fault := jsonata.Parse(c.Expr)
		var data map[string]json.RawMessage
		if fault != nil || !c.HasData || json.Unmarshal(c.Data, &data) != nil || len(data) == 0 {
			continue
		}
		r := ast.Refs()
		if r.WholeRoot || r.Unknown || len(r.NonDeterministic) > 0 {
			continue
		}
		read := map[string]bool{}
		for _, n := range r.Nodes {
			read[n.Node] = true
		}
		for key := range data {
			if !read[key] {
				delete(data, key)
				removed++
			}
		}
		less := c
		less.Data, _ = json.Marshal(data)
		if diff := cmp.Diff(ask(t, c), ask(t, less)); diff != "" {
			t.Errorf("%s: %s reads more than its references\n%s", c.ID, c.Expr, diff)
		}
	}
	if removed < 1000 {
		t.Errorf("only %d nodes could be left out: references are too coarse to test", removed)
	}
}
