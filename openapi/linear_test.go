package openapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/linear"
)

// TestDoublingReferences puts documents whose references double from level to level
// through everything that a document may have a schema in.
func TestDoublingReferences(t *testing.T) {
	const schema = `{"$ref":"#/components/schemas/l0"}`
	places := map[string]string{
		"parameter":        `"parameters":[{"name":"p","in":"query","schema":S}],"responses":{}`,
		"shared parameter": `"parameters":[{"$ref":"#/components/parameters/p"}],"responses":{}`,
		"body":             `"requestBody":{"content":{"application/json":{"schema":S}}},"responses":{}`,
		"form":             `"requestBody":{"content":{"application/x-www-form-urlencoded":{"schema":S}}},"responses":{}`,
		"multipart form":   `"requestBody":{"content":{"multipart/form-data":{"schema":S,"encoding":{"a":{"contentType":"text/plain"}}}}},"responses":{}`,
		"answer":           `"responses":{"200":{"description":"","content":{"application/json":{"schema":S,"example":{},"examples":{"a":{"$ref":"#/components/examples/a"}}}},"headers":{"h":{"schema":S}},"links":{"l":{"$ref":"#/components/links/l"}}}}`,
		"answers":          `"responses":{"200":{"$ref":"#/components/responses/r"},"201":{"description":"","content":{"application/json":{"schema":S}}}}`,
	}
	var paths []string
	for name, operation := range places {
		paths = append(paths, `"/`+name+`":{"post":{`+operation+`}}`)
	}
	for form := range linear.Schemas("", 0) {
		for _, version := range []string{"3.0.3", "3.1.0"} {
			t.Run(form+"/"+version, func(t *testing.T) {
				linear.Work(t, 4, func(levels int) func() {
					document := `{"openapi":"` + version + `","info":{"title":"t","version":"1"},"paths":{` + strings.Join(paths, ",") + `},"components":{"schemas":{` +
						linear.Schemas("#/components/schemas/", levels)[form] + `},"parameters":{"p":{"name":"p","in":"query","schema":S}},` +
						`"responses":{"r":{"description":"","content":{"application/json":{"schema":S}}}},"links":{"l":{}},"examples":{"a":{"value":1}}}}`
					o := Options{Source: strings.ReplaceAll(document, "S", schema), URL: "https://api.example"}
					return func() {
						if _, err := Tools(t.Context(), o); err != nil {
							t.Fatal(err)
						}
					}
				})
			})
		}
	}
}

// TestSharedPartsAreBounded has operations that share a large part, which each of their
// tools repeats.
func TestSharedPartsAreBounded(t *testing.T) {
	var form, paths strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&form, `"field%d":{"type":"string"},`, i)
	}
	for i := range 100 {
		fmt.Fprintf(&paths, `"/p%d":{"post":{"requestBody":{"$ref":"#/components/requestBodies/b"},"responses":{"200":{"$ref":"#/components/responses/r"}}}},`, i)
	}
	load := func(media string) ([]Tool, string, error) {
		var notes strings.Builder
		tools, err := Tools(t.Context(), Options{URL: "https://api.example", Note: func(note string) { notes.WriteString(note) }, Source: strings.NewReplacer(
			"MEDIA", media, "FORM", strings.TrimSuffix(form.String(), ","), "PATHS", strings.TrimSuffix(paths.String(), ","), "LONG", strings.Repeat("x", 600_000)).Replace(
			`{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{PATHS},"components":{"requestBodies":{"b":{"content":{"MEDIA":{"schema":{"properties":{FORM}}}}}},` +
				`"responses":{"r":{"description":"","content":{"application/json":{"schema":{"description":"LONG"}}}}}}}`)})
		return tools, notes.String(), err
	}
	if tools, notes, err := load("application/x-www-form-urlencoded"); err != nil || len(tools) != 83 || !strings.Contains(notes, "the forms of all operations have more than 500000 fields: use include to choose operations") {
		t.Errorf("got %d tools, the notes %q and %v, want 83 tools whose forms have up to 500,000 fields", len(tools), notes, err)
	}
	if _, _, err := load("application/json"); err == nil || !strings.Contains(err.Error(), "the schemas of its tools have more than 64 MiB: use include to choose operations") {
		t.Errorf("got %v, want the schemas of 100 tools to be too large", err)
	}
}
