package openapi_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/golden"
	"github.com/patchbay-mcp/patchbay/openapi"
	"github.com/patchbay-mcp/patchbay/schema"
)

// list returns the tools of a document and what was noted.
func list(t *testing.T, o openapi.Options) ([]openapi.Tool, []string) {
	t.Helper()
	var notes []string
	o.Note = func(text string) { notes = append(notes, text) }
	tools, err := openapi.Tools(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return tools, notes
}

func toolNames(tools []openapi.Tool) []string {
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Definition.Name)
	}
	return names
}

// TestGoldenTools compares the tools of the test's own documents with those written
// down, and checks that every schema can be used.
func TestGoldenTools(t *testing.T) {
	for _, name := range []string{"shop.yaml", "library.json"} {
		tools, notes := list(t, openapi.Options{Source: name, Dir: "testdata", Deprecated: true})
		if len(notes) > 0 {
			t.Errorf("%s: notes %q", name, notes)
		}
		var out bytes.Buffer
		for _, tool := range tools {
			text, err := json.MarshalIndent(tool.Definition, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			out.Write(append(text, '\n'))
			for _, raw := range []any{tool.Definition.InputSchema, tool.Definition.OutputSchema} {
				if raw, ok := raw.(json.RawMessage); ok {
					if _, without, err := schema.Usable(raw); err != nil || len(without) > 0 {
						t.Errorf("%s: %v, not valid: %q", tool.Definition.Name, err, without)
					}
				}
			}
		}
		golden.Check(t, "testdata/"+name+".tools", out.String())
	}
}
