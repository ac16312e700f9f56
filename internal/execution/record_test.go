package execution

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
)

// TestRunsThatHaveBegunGoOn: what is an error in a rule now, and was not when the run began,
// does not keep it from being resumed.
func TestRunsThatHaveBegunGoOn(t *testing.T) {
	for _, rule := range []string{`{filter: [{var: $.entry.l}, true]}`, `{"!!": {missing: [entyr.l]}}`, `{"==": [{var: entyr.l.0}, 1]}`} {
		text := `
name: g
description: d
inputSchema: {type: object, properties: {l: {type: array, items: {type: integer}}}, required: [l]}
outputSchema: {type: object}
nodes:
  - {id: entry, type: entry, next: s}
  - {id: s, type: switch, conditions: [{rule: ` + rule + `, next: a}], next: exit}
  - {id: a, type: transform, transform: {expr: '{"l": $.entry.l}'}, next: exit}
  - {id: exit, type: exit}
`
		doc, _ := graph.Parse("g", text)
		if plan, _ := engine.Compile(doc, "", engine.Env{}); plan != nil {
			t.Errorf("%s is valid in a new graph", rule)
		}
		plan, fault := compileRecorded(t.Context(), run.Source{Name: "g", Text: text}, engine.Env{})
		if fault != nil {
			t.Fatalf("%s: %s", rule, fault.Message)
		}
		if _, err := plan.Input(json.RawMessage(`{"l": []}`)); err != nil || !strings.Contains(plan.Flow(), "s [0] -> a") {
			t.Errorf("%s: the plan is\n%s", rule, plan.Flow())
		}
	}
}
