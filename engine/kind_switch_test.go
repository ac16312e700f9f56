package engine_test

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
)

// TestOlderSwitch: in mcpGraph's older form a condition without a rule is the
// default wherever it stands, and the first of several.
func TestOlderSwitch(t *testing.T) {
	plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: size}
  - id: size
    type: switch
    conditions:
      - target: small
      - {rule: {">": [{var: $.entry.n}, 10]}, target: large}
      - target: exit
  - {id: small, type: transform, transform: {expr: '{"is": "small"}'}, next: exit}
  - {id: large, type: transform, transform: {expr: '{"is": "large"}'}, next: exit}
  - {id: exit, type: exit}
`, engine.Env{})
	for arguments, want := range map[string]string{`{"n": 5}`: `{"is":"small"}`, `{"n": 50}`: `{"is":"large"}`} {
		if got := runPlan(t, plan, nil, arguments); got != want {
			t.Errorf("%s: got %s, want %s", arguments, got, want)
		}
	}
	if flow := plan.Flow(); !strings.Contains(flow, "size [1] -> large") || !strings.Contains(flow, "size [default] -> small") {
		t.Errorf("the flow is\n%s", flow)
	}
}
