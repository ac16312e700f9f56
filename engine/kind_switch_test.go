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

// TestEmptyListsInRules: the whole of a rule has JavaScript's truth, as in mcpGraph, and
// the arguments of operators have JSON Logic's.
func TestEmptyListsInRules(t *testing.T) {
	for _, tt := range []struct{ rule, l, want string }{
		{`{filter: [{var: $.entry.l}, {">": [{var: ""}, 5]}]}`, `[1]`, `yes`},
		{`{"!!": {filter: [{var: $.entry.l}, {">": [{var: ""}, 5]}]}}`, `[1]`, `no`},
		{`{"!!": {filter: [{var: $.entry.l}, {">": [{var: ""}, 5]}]}}`, `[9]`, `yes`},
		{`{if: [{var: $.entry.l}, true, false]}`, `[]`, `no`},
		{`{and: [{var: $.entry.l}, true]}`, `[]`, `yes`},
		{`{or: [{var: $.entry.l}, false]}`, `[]`, `no`},
		{`{missing: [entry.l]}`, `[]`, `yes`},
	} {
		p := compile(t, `
version: "1.0"
server: {name: example, version: 1.0.0}
tools:
  - name: t
    description: d
    inputSchema: {type: object, properties: {l: {type: array, items: {type: integer}}}}
    outputSchema: {type: object}
    nodes:
      - {id: entry, type: entry, next: s}
      - {id: s, type: switch, conditions: [{rule: `+tt.rule+`, next: yes_}], next: no_}
      - {id: yes_, type: transform, transform: {expr: '{"is": "yes"}'}, next: exit}
      - {id: no_, type: transform, transform: {expr: '{"is": "no"}'}, next: exit}
      - {id: exit, type: exit}
`, engine.Env{})
		if got := runPlan(t, p, nil, `{"l": `+tt.l+`}`); got != `{"is":"`+tt.want+`"}` {
			t.Errorf("%s of %s takes %s, want %s", tt.rule, tt.l, got, tt.want)
		}
	}
}
