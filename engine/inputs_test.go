package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
)

// TestUndeclaredInputs: an argument that the inputSchema does not declare is an error
// where it is nearly one that it does, and else a warning, also deep in it; a schema that
// says that there may be others is taken at its word.
func TestUndeclaredInputs(t *testing.T) {
	tests := []struct {
		schema, read string
		want         []string
	}{
		{`{type: object, properties: {text: {type: string}}}`, "text", nil},
		{`{type: object, properties: {text: {type: string}}}`, "txt", []string{"misspelt-input"}},
		{`{type: object, properties: {text: {type: string}}}`, "Text", []string{"misspelt-input"}},
		{`{type: object, properties: {text: {type: string}}}`, "other", []string{"undeclared-input"}},
		{`{type: object, properties: {s: {type: string}}}`, "u", []string{"undeclared-input"}},
		{`{type: object, properties: {s: {type: string}}}`, "S", []string{"misspelt-input"}},
		{`{type: object, properties: {text: {type: string}}, additionalProperties: true}`, "txt", []string{"undeclared-field"}},
		{`{type: object, properties: {text: {type: string}}, patternProperties: {"^x-": {type: string}}}`, "other", []string{"undeclared-field"}},
		{`{type: object, properties: {text: {type: string}}, additionalProperties: false}`, "txt", []string{"unknown-field"}},
		{`{type: object, properties: {text: {type: string}}, additionalProperties: false}`, "other", []string{"unknown-field"}},
		{`{type: object}`, "other", nil},
		{`{type: object, properties: {file: {type: object, properties: {path: {type: string}}}}}`, "file.pth", []string{"misspelt-input"}},
		{`{type: object, properties: {file: {type: object, properties: {path: {type: string}}}}}`, "file.size", []string{"undeclared-input"}},
		{`{type: object, properties: {file: {type: object, properties: {path: {type: string}}, additionalProperties: {type: number}}}}`, "file.size", []string{"undeclared-field"}},
		{`{type: object, properties: {files: {type: array, items: {type: object, properties: {path: {type: string}}}}}}`, "files.pth", []string{"misspelt-input"}},
	}
	for _, tt := range tests {
		src := fmt.Sprintf("inputSchema: %s\noutputSchema: {type: object}\nnodes:\n  - {id: start, type: entry, next: exit}\n  - {id: exit, type: exit, result: {expr: '{\"out\": [$.start.%s]}'}}\n", tt.schema, tt.read)
		doc, _ := graph.Parse("graph.yaml", src)
		_, l := engine.Compile(doc, "", engine.Env{})
		if got := codesOf(l); !slices.Equal(got, tt.want) {
			t.Errorf("%s of %s: got %v, want %v", tt.read, tt.schema, got, tt.want)
		}
		for _, d := range l.With(diag.Error) {
			if d.Code == "misspelt-input" && len(d.Fixes) != 1 {
				t.Errorf("%s of %s: %d fixes", tt.read, tt.schema, len(d.Fixes))
			}
		}
	}
}
