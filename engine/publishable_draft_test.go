package engine_test

import (
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
)

// TestDefinitions: definitions is of an older draft unless the schema names that draft,
// and there is no fix where a name would have two meanings.
func TestDefinitions(t *testing.T) {
	for _, tt := range []struct {
		schema string
		old    bool
		fixes  int
	}{
		{`{type: object, definitions: {n: {type: number}}, properties: {n: {$ref: "#/definitions/n"}}}`, true, 1},
		{`{type: object, $defs: {n: {type: string}}, definitions: {n: {type: number}}, properties: {n: {$ref: "#/definitions/n"}}}`, true, 0},
		{`{$schema: "https://json-schema.org/draft/2020-12/schema", type: object, definitions: {n: {type: number}}, properties: {n: {$ref: "#/definitions/n"}}}`, true, 1},
		{`{$schema: "http://json-schema.org/draft-07/schema#", type: object, definitions: {n: {type: number}}, properties: {n: {$ref: "#/definitions/n"}}}`, false, 0},
		{`{type: object, properties: {definitions: {type: object}}}`, false, 0},
	} {
		doc, l := graph.Parse("graph.yaml", "name: g\ndescription: Returns its arguments\ninputSchema: "+tt.schema+"\noutputSchema: {type: object}\nnodes:\n  - {id: entry, type: entry, next: exit}\n  - {id: exit, type: exit}\n")
		if doc == nil {
			t.Fatal(l)
		}
		plan, l := engine.Compile(doc, "", engine.Env{})
		if plan == nil {
			t.Fatal(l)
		}
		found := plan.Unpublishable()
		if (len(found) > 0) != tt.old || tt.old && len(found[0].Fixes) != tt.fixes {
			t.Errorf("%s: %s", tt.schema, diag.Format("graph.yaml", doc.Src, l))
		}
		if after, _ := diag.Apply(doc.Src, l); tt.fixes > 0 && (strings.Contains(after, "definitions") || !strings.Contains(after, "#/$defs/n")) {
			t.Errorf("after the fix: %s", after)
		}
	}
}
