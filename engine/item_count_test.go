package engine_test

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
)

// TestItemCount: for how many items a node executes is known while it does, and afterwards.
func TestItemCount(t *testing.T) {
	for items, want := range map[string]int{"{expr: '[1..$.entry.n]'}": 4, "[1, 2, 3]": 3, "{expr: $.entry.n}": 1, "{expr: $.entry.none}": 0} {
		plan := compile(t, strings.Replace(`
nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: transform, transform: {expr: $item}, foreach: {items: ITEMS}, next: exit}
  - {id: exit, type: exit}
`, "ITEMS", items, 1), engine.Env{})
		rec := local.Run(t.Context(), plan, &flaky{}, []byte(`{"n": 4}`), local.Options{})
		if rec.Fault != nil {
			t.Fatal(rec.Fault)
		}
		count := func(when, key string, want int) {
			t.Helper()
			for i, s := range rec.Steps {
				if s.Key != key {
					continue
				}
				if got := plan.ItemCount(t.Context(), rec, i); got != want {
					t.Errorf("%s: %s has %d items %s, want %d", items, key, got, when, want)
				}
			}
		}
		count("afterwards", "each#0", want)
		count("afterwards", "entry#0", 0)
		rec.Steps[1].Ended, rec.Steps[1].Input = 0, nil
		count("while it executes", "each#0", want)
	}
}
