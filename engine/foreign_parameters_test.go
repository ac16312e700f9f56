package engine_test

import (
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/specs"
)

// parametrized describes one node with a parameter of each kind of check.
type parametrized struct{ described }

func (parametrized) Subtypes(string) []string { return []string{"PAY"} }

func (parametrized) Node(string, string) *specs.Spec {
	return &specs.Spec{NodeType: "ACTION_NODE", Subtype: "PAY", Parameters: []specs.Parameter{
		{Name: "amount", Type: "integer"},
		{Name: "sure", Type: "boolean"},
		{Name: "items", Type: "array"},
		{Name: "currency", Type: "enum", EnumValues: []any{"EUR", "USD"}},
		{Name: "code", Type: "string", ValidationPattern: "^[A-Z]+$"},
		{Name: "to", Type: "email"},
	}}
}

// TestTemplatesOfParameters: what another system computes may stand for a value of any type,
// enum or pattern.
func TestTemplatesOfParameters(t *testing.T) {
	for value, faulty := range map[string]bool{`"{{ n }}"`: false, `"${n}"`: false, `"pay {{ n }} times"`: false, `"n"`: true} {
		for _, name := range []string{"amount", "sure", "items", "currency", "code", "to"} {
			doc, _ := graph.Parse("g", "nodes:\n  - {id: pay, type: ACTION_NODE, subtype: PAY, parameters: {"+name+": "+value+"}}\n")
			_, found := engine.Compile(doc, "", engine.Env{Packs: parametrized{}})
			got := false
			for _, d := range found {
				got = got || d.Code == "bad-parameter"
			}
			if got != faulty {
				t.Errorf("%s: %s: a fault: %t, want %t: %v", name, value, got, faulty, found)
			}
		}
	}
}
