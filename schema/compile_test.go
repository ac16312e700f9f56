package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/schema"
)

// Of several faults of a schema the same one is named every time.
func TestFirstFaultOfASchema(t *testing.T) {
	raw := json.RawMessage(`{"type": 1, "properties": {"c": {"type": 3}, "a": {"minimum": "x"}, "b": {"required": 2}}, "required": 4}`)
	for range 50 {
		if err := schema.Verify(raw); err == nil || !strings.Contains(err.Error(), "at /properties/a/minimum: ") {
			t.Fatalf("got %v", err)
		}
	}
}
