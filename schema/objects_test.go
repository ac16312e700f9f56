package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/schema"
)

// A schema with more subschemas than can be compiled in time is refused at once.
func TestManySubschemas(t *testing.T) {
	of := func(n int) []byte {
		properties := make([]string, n)
		for i := range properties {
			properties[i] = fmt.Sprintf(`"a \"{{ %d":{}`, i)
		}
		return []byte(`{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`)
	}
	if err := schema.Verify(of(4_900)); err != nil {
		t.Error(err)
	}
	if err := schema.Verify(of(40_000)); err == nil || !strings.Contains(err.Error(), "the schema has 40002 objects, at most 5000 are read") {
		t.Error(err)
	}
}
