package engine_test

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
)

// TestCompileAllKeepsSoundTools: an error in one tool of a document leaves the plans
// of the others.
func TestCompileAllKeepsSoundTools(t *testing.T) {
	const tools = `version: "1.0"
tools:
  - {name: good, description: Good, inputSchema: {type: object}, outputSchema: {type: object}, nodes: [{id: entry, type: entry, next: exit}, {id: exit, type: exit}]}
  - {name: bad, description: Bad, inputSchema: {type: object}, outputSchema: {type: object}, nodes: [{id: entry, type: entry, next: nowhere}, {id: exit, type: exit}]}
`
	doc, l := graph.Parse("tools.yaml", tools)
	if l.HasErrors() {
		t.Fatal(l)
	}
	plans, l := engine.CompileAll(doc, engine.Env{})
	if len(plans) != 2 || plans[0] == nil || plans[1] != nil || !l.HasErrors() {
		t.Errorf("plans %v, %v", plans, codesOf(l))
	}
}
