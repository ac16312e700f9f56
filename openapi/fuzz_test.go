package openapi_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/openapi"
	check "github.com/patchbay-mcp/patchbay/schema"
)

// operationsOf are the operations that another reader of OpenAPI finds in a document, by
// method and path, with the number of their parameters.
func operationsOf(doc *openapi3.T) map[string]*openapi3.Operation {
	all := map[string]*openapi3.Operation{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if method != "TRACE" && method != "CONNECT" {
				all[method+" "+path] = op
			}
		}
	}
	return all
}

// TestAgainstAnotherReader finds the operations that kin-openapi finds in the test's own
// documents, which it holds to be valid.
func TestAgainstAnotherReader(t *testing.T) {
	for _, name := range []string{"shop.yaml", "library.json"} {
		loader := openapi3.NewLoader()
		loader.IsExternalRefsAllowed = true
		doc, err := loader.LoadFromFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		want := operationsOf(doc)
		tools, _ := list(t, openapi.Options{Source: name, Dir: "testdata", Deprecated: true})
		for _, tool := range tools {
			op := want[tool.Method+" "+tool.Path]
			if op == nil {
				t.Errorf("%s: %s %s is not an operation", name, tool.Method, tool.Path)
				continue
			}
			delete(want, tool.Method+" "+tool.Path)
			var input struct{ Properties map[string]json.RawMessage }
			if err := json.Unmarshal(tool.InputSchema.(json.RawMessage), &input); err != nil {
				t.Error(err)
			}
			if _, there := input.Properties["body"]; there != (op.RequestBody != nil) {
				t.Errorf("%s: %s %s: body %t", name, tool.Method, tool.Path, there)
			}
		}
		for missing := range want {
			t.Errorf("%s: %s is missing", name, missing)
		}
	}
}

// FuzzDocuments reads any text without a panic. Of what it accepts, every tool has a name
// that MCP takes, schemas that are valid, and one call that ends.
func FuzzDocuments(f *testing.F) {
	for _, name := range []string{"testdata/shop.yaml", "testdata/library.json", "testdata/clinic.yaml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), `{"id":"a","body":{"photo":{"text":"x"}}}`)
	}
	f.Add(odd, "{}")
	f.Add(secured, `{"q":[1,{"a":null}]}`)
	f.Add(minimal, `{}`)
	f.Add("openapi: 3.0.0\npaths: {/a: {get: {parameters: [{name: a, in: query, style: deepObject, schema: {$ref: '#/paths/~1a'}}]}}}", `{"a":{"b":[]}}`)
	f.Fuzz(func(t *testing.T, text, args string) {
		if !strings.Contains(text, "\n") {
			text += "\n"
		}
		answers := roundTrip(func(*http.Request) (*http.Response, error) { return reply(http.StatusOK, `{"a":[1]}`), nil })
		tools, err := openapi.Tools(t.Context(), openapi.Options{Source: text, URL: "https://api.example", Transport: answers, Deprecated: true, Note: func(note string) {
			if strings.Contains(note, "%!") {
				t.Errorf("note %q", note)
			}
		}})
		if err != nil {
			if !utf8.ValidString(err.Error()) && utf8.ValidString(text) || strings.Contains(err.Error(), "%!") {
				t.Errorf("error %q", err)
			}
			return
		}
		server := mcp.NewServer(&mcp.Implementation{Name: "fuzz"}, nil)
		names := map[string]bool{}
		for i := range tools {
			def := tools[i].Tool
			if names[def.Name] || def.Name == "" || len(def.Name) > 128 {
				t.Errorf("the name %q", def.Name)
			}
			names[def.Name] = true
			for _, schema := range []any{def.InputSchema, def.OutputSchema} {
				raw, ok := schema.(json.RawMessage)
				if !ok {
					continue
				}
				if err := check.Verify(raw); err != nil {
					t.Errorf("%s: %v: %s", def.Name, err, raw)
				}
			}
			server.AddTool(def, nil)
			if r := tools[i].Call(t.Context(), json.RawMessage(args)); len(r.Content) == 0 {
				t.Errorf("%s: %+v", def.Name, r)
			}
		}
	})
}
