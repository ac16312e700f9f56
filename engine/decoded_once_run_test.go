package engine_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// A run decodes the result of a tool once, however many nodes read it: the values of a
// second reading would be as many allocations again.
func TestRunsDecodeResultsOnce(t *testing.T) {
	plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: read}
  - {id: read, type: mcp, server: s, tool: read, args: {}, next: count}
  - {id: count, type: transform, transform: {expr: '$count(read)'}, next: sum}
  - {id: sum, type: transform, transform: {expr: '$sum(read) + $.count'}, next: large}
  - {id: large, type: switch, conditions: [{rule: {">": [{var: "$.read[0]"}, 5]}, next: exit}], next: exit}
  - {id: exit, type: exit, result: {expr: '{"sum": $.sum, "first": $.read[0]}'}}
`, engine.Env{})
	const items = 20_000
	list := "[" + strings.Repeat("7,", items-1) + "7]"
	text, err := json.Marshal(map[string]string{"type": "text", "text": list})
	if err != nil {
		t.Fatal(err)
	}
	once := testing.AllocsPerRun(3, func() {
		if _, err := expr.Decode([]byte(list)); err != nil {
			t.Fatal(err)
		}
	})
	if once < items {
		t.Fatalf("the values of the list are %v allocations, want more than its items", once)
	}
	for name, caller := range map[string]run.Caller{"structured": answers(list), "text": answers("", string(text)), "both": answers(list, string(text))} {
		got := testing.AllocsPerRun(3, func() {
			if rec := local.Run(t.Context(), plan, caller, nil, local.Options{}); rec.Fault != nil {
				t.Fatal(rec.Fault)
			}
		})
		if got < once || got > 1.5*once {
			t.Errorf("%s: a run makes %v allocations, and decoding the result once %v", name, got, once)
		}
	}
}
