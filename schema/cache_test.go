package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestSchemasThatAreKept: long schemas, which take much memory, are fewer.
func TestSchemasThatAreKept(t *testing.T) {
	defer schemaCache().Purge()
	var last *Schema
	for i := range 2 * schemaCacheTexts / schemaCacheText {
		last = New(json.RawMessage(fmt.Sprintf(`{"title":"%d%s"}`, i, strings.Repeat("x", schemaCacheText-40))))
	}
	if n, bytes := schemaCache().Used(); n == 0 || bytes > schemaCacheTexts {
		t.Errorf("%d schemas with %d bytes are kept", n, bytes)
	}
	if New(last.Raw) != last {
		t.Error("the last is not kept")
	}
}
