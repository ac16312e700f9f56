package openapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/patchbay-mcp/patchbay/openapi"
)

// Names do not depend on neighbours: an operation that is added changes no other's.
func TestNamesStay(t *testing.T) {
	path := "/v2/monitoring/metrics/droplet/network/throughput/by/interface/"
	doc := func(paths ...string) openapi.Options {
		return openapi.Options{Source: "openapi: 3.1.0\npaths:\n  " + strings.Join(paths, ": {get: {responses: {}}}\n  ") + ": {get: {responses: {}}}\n"}
	}
	before, _ := list(t, doc(path+"tcp_out", path+"tcp_in"))
	after, _ := list(t, doc(path+"a", path+"tcp_in", path+"tcp_out"))
	for _, tool := range before {
		same := slices.IndexFunc(after, func(o openapi.Tool) bool { return o.Name == tool.Name })
		if same < 0 || after[same].Path != tool.Path || len(tool.Name) > 64 {
			t.Errorf("%s of %s is another one after an operation was added: %q", tool.Name, tool.Path, toolNames(after))
		}
	}
}

// A reference is followed where documents have one and the specification has none: in place of
// the paths, an operation, a map of properties.
func TestReferencesInOddPlaces(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"api.yaml":        "openapi: 3.0.3\npaths: {$ref: paths.yaml}\n",
		"paths.yaml":      "/vms:\n  post: {$ref: resources/create.yaml}\n  get: {$ref: resources/none.yaml#/x}\n",
		"properties.yaml": "name: {type: string}\nsize: {type: integer}\n",
		"resources/create.yaml": "operationId: createVM\ndescription: Creates one.\nparameters: [{name: dry, in: query, schema: {type: boolean}}]\n" +
			"requestBody: {content: {application/json: {schema: {type: object, properties: {$ref: ../properties.yaml}}}}}\n",
		"resources/none.yaml": "y: {}\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tools, notes := list(t, openapi.Options{Source: "api.yaml", Dir: dir})
	if len(tools) != 1 || tools[0].Name != "createVM" || !strings.Contains(tools[0].Description, "Creates one.") {
		t.Fatalf("%q", toolNames(tools))
	}
	if in := fmt.Sprintf("%s", tools[0].InputSchema); !strings.Contains(in, `"dry":{"type":"boolean"}`) || !strings.Contains(in, `"size":{"type":"integer"}`) {
		t.Errorf("the arguments are %s", in)
	}
	if said := strings.Join(notes, "\n"); !strings.Contains(said, "GET /vms is left out") || !strings.Contains(said, "1 of 2 operations are tools") {
		t.Errorf("the notes are %q", notes)
	}
}

// A path may have a query of its own, and the names of parameters operators.
func TestOddRequests(t *testing.T) {
	var got string
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.RequestURI }))
	defer s.Close()
	tools, _ := list(t, openapi.Options{URL: s.URL, Source: `openapi: 3.1.0
paths:
  /a?x=1:
    get:
      operationId: a
      parameters: [{name: y, in: query}, {name: StartTime<, in: query}, {name: "StartTime>=", in: query}]
`})
	if in := fmt.Sprintf("%s", tools[0].InputSchema); !strings.Contains(in, `"StartTime_lt":{"description":"(sent as StartTime<)"`) {
		t.Errorf("the arguments are %s", in)
	}
	tools[0].Call(t.Context(), json.RawMessage(`{"y":2,"StartTime_lt":"b","StartTime_gte":"c"}`))
	if want := "/a?x=1&y=2&StartTime%3C=b&StartTime%3E%3D=c"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What the members of oneOf share is accepted, with a discriminator and without one: APIs do
// not keep to their exclusiveness.
func TestAlternativesNeedNotExclude(t *testing.T) {
	tools, _ := list(t, openapi.Options{Source: `openapi: 3.1.0
paths:
  /pets:
    post:
      requestBody: {content: {application/json: {schema: {oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}], discriminator: {propertyName: kind}}}}}
components:
  schemas:
    Cat: {type: object, required: [kind], properties: {kind: {type: string}, name: {type: string}}}
    Dog: {type: object, required: [kind], properties: {kind: {type: string}, bark: {type: boolean}}}
`})
	accepts(t, tools[0].InputSchema, `{"body":{"kind":"cat","name":"T"}}`)
}

// A schema that is cut for its size accepts what the whole accepts.
func TestCutSchemasAcceptMore(t *testing.T) {
	var fields strings.Builder
	for i := range 900 {
		fmt.Fprintf(&fields, "        field%d: {type: string, description: '%s'}\n", i, strings.Repeat("long ", 20))
	}
	doc := "openapi: 3.1.0\npaths:\n  /pay:\n    post: {requestBody: {content: {application/json: {schema: {not: {$ref: '#/components/schemas/Never'}, unevaluatedProperties: false, oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]}}}}}\n" +
		"components:\n  schemas:\n    Never: {type: object, required: [never], properties: {a: {$ref: '#/components/schemas/A'}}}\n"
	part := func(name string) string {
		return "    " + name + ":\n      type: object\n      required: [kind]\n      properties:\n        kind: {const: " + name + "}\n" + fields.String()
	}
	doc += part("A") + part("B")
	tools, _ := list(t, openapi.Options{Source: doc})
	if text := fmt.Sprintf("%s", tools[0].InputSchema); len(text) > 200_000 {
		t.Errorf("the schema has %d bytes", len(text))
	}
	accepts(t, tools[0].InputSchema, `{"body":{"kind":"A","field1":"x"}}`, `{"body":{"kind":"B","field2":"x"}}`)
}

func accepts(t *testing.T, schema any, values ...string) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(fmt.Sprintf("%s", schema)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("https://example.com/s.json", v); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("https://example.com/s.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range values {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(value); err != nil {
			t.Errorf("%s is refused: %v", text, err)
		}
	}
}
