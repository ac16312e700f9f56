package app

import (
	"encoding/json"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/downstream"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A tool of a cache that lacks its whole definition has the hints that its server gave,
// and no others: clients refuse null.
func TestDefinitionOfACachedTool(t *testing.T) {
	yes := true
	def, err := definitionOf(&downstream.Tool{
		Name: "read", Description: "Reads", InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &specs.Annotations{ReadOnly: &yes},
	}, "files__read")
	if want := `{"annotations":{"readOnlyHint":true},"description":"Reads","inputSchema":{"type":"object"},"name":"files__read"}`; err != nil || string(def) != want {
		t.Errorf("%s, %v", def, err)
	}
}
