package engine_test

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

const countTo = `
executionLimits: {maxNodeExecutions: LIMIT}
nodes:
  - {id: entry, type: entry, next: count}
  - {id: count, type: transform, transform: {expr: '{"n": $executionCount("count") + 1}'}, next: more}
  - {id: more, type: switch, conditions: [{rule: {"<": [{var: $.count.n}, 900]}, next: count}], next: exit}
  - {id: exit, type: exit}
`

// TestTooManyExecutions: the fault says how far the loop has come, what an iteration
// costs, and which number to write; written, it is enough.
func TestTooManyExecutions(t *testing.T) {
	for _, test := range []struct {
		limit         string
		ceiling       int
		message, hint string
	}{
		{"1000", 0, `"count" was executed 500 times, at about 2 node executions an iteration`, "{maxNodeExecutions: 10000} in the document for 5000 iterations"},
		{"1000", 1500, "500 times", "{maxNodeExecutions: 1500} in the document, or let the loop end earlier; the operator's ceiling is 1500"},
		{"1000", 1000, "500 times", "do less in one run; the operator's ceiling is 1000"},
		{"10000", 0, "", ""},
	} {
		plan := compile(t, strings.Replace(countTo, "LIMIT", test.limit, 1), engine.Env{})
		rec := local.Run(t.Context(), plan, nil, nil, local.Options{Options: run.Options{Limits: run.Limits{MaxNodeExecutions: test.ceiling}}})
		if test.message == "" {
			if rec.Fault != nil {
				t.Errorf("with the number that the fault names: %v", rec.Fault)
			}
			continue
		}
		if rec.Fault == nil || !strings.Contains(rec.Fault.Message, test.message) || !strings.Contains(rec.Fault.Hint, test.hint) {
			t.Errorf("limit %s, ceiling %d: %+v", test.limit, test.ceiling, rec.Fault)
		}
	}
}

// TestWhatIsCounted: each item is one execution, and what consists of others is none.
func TestWhatIsCounted(t *testing.T) {
	plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: each}
  - {id: each, type: transform, transform: {expr: $item}, foreach: {items: {expr: '[1..4]'}}, next: fork}
  - {id: fork, type: parallel, branches: [left, right], join: exit}
  - {id: left, type: transform, transform: {expr: '1'}, next: exit}
  - {id: right, type: transform, transform: {expr: '2'}, next: exit}
  - {id: exit, type: exit}
`, engine.Env{})
	for limit, fits := range map[int]bool{8: true, 7: false} { // entry, four items, left, right, exit
		rec := local.Run(t.Context(), plan, nil, nil, local.Options{Options: run.Options{Limits: run.Limits{MaxNodeExecutions: limit}}})
		if (rec.Fault == nil) != fits {
			t.Errorf("with %d: %v", limit, rec.Fault)
		}
	}
	rec := local.Run(t.Context(), plan, nil, nil, local.Options{Options: run.Options{Limits: run.Limits{MaxNodeExecutions: 4}}})
	if rec.Fault == nil || !strings.Contains(rec.Fault.Message, `"each" has 4 items, and only 3`) {
		t.Errorf("more items than are left: %v", rec.Fault)
	}
	if each := rec.Steps[1]; each.Input != nil {
		t.Errorf("too many items are recorded: %v", each.Input)
	}
}
