package servers

import (
	"encoding/json"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A tool of a cache that lacks its whole definition has the hints that its server gave,
// and no others: clients refuse null.
func TestDefinitionOfACachedTool(t *testing.T) {
	yes := true
	def, _, err := GatewayDefinition(&tooldef.Tool{
		Name: "read", Description: "Reads", InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &specs.Annotations{ReadOnly: &yes},
	}, "files__read", 1<<16)
	if want := `{"annotations":{"readOnlyHint":true},"description":"Reads","inputSchema":{"type":"object"},"name":"files__read"}`; err != nil || string(def) != want {
		t.Errorf("%s, %v", def, err)
	}
}

// Characters that cannot be seen reach no client by the definition of a tool, and what they
// would constrain is not constrained. All other definitions stay as they are.
func TestDefinitionsAreVisible(t *testing.T) {
	for raw, want := range map[string]string{
		`{"name":"a","description":"x\u200by","inputSchema":{"type":"object","properties":{"p":{"type":"string","enum":["\u202e"],"title":"\u001b"}},"anyOf":[{}]},"outputSchema":{"type":"object","properties":{"o\u200b":{}},"required":["o\u200b"]}}`: `{"name":"s__a","description":"x\\u200by","inputSchema":{"type":"object","properties":{"p":{"type":"string","title":"\\u001b"}},"anyOf":[{}]},"outputSchema":{"type":"object","properties":{}}}`,
		`{"name":"a", "description":"x\\u200b \u00e9", "inputSchema":{"type":"object","properties":{"p":{"minimum":1.0}}}}`:                                                                                                                              `{"name":"s__a","description":"x\\u200b \u00e9","inputSchema":{"type":"object","properties":{"p":{"minimum":1.0}}}}`,
	} {
		def, _, err := GatewayDefinition(&tooldef.Tool{Name: "a", Raw: json.RawMessage(raw)}, "s__a", 1<<16)
		if err != nil || string(def) != want {
			t.Errorf("%v\n got %s\nwant %s", err, def, want)
		}
	}
}
