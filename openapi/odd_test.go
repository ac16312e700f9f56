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

// An operation keeps its name when another one of the same operationId comes after it, and the
// names of those do not depend on their order.
func TestSharedOperationIDs(t *testing.T) {
	doc := func(paths ...string) map[string]string {
		tools, _ := list(t, openapi.Options{Source: "openapi: 3.1.0\npaths:\n  " + strings.Join(paths, ": {get: {operationId: read}}\n  ") + ": {get: {operationId: read}}\n"})
		names := map[string]string{}
		for _, tool := range tools {
			names[tool.Path] = tool.Name
		}
		return names
	}
	one, three, other := doc("/a"), doc("/a", "/b", "/c"), doc("/a", "/c", "/d", "/b")
	if one["/a"] != "read" || three["/a"] != "read" || other["/a"] != "read" || three["/b"] == three["/c"] || three["/b"] != other["/b"] || three["/c"] != other["/c"] {
		t.Errorf("%q, %q, %q", one, three, other)
	}
}

// A reference is followed where documents have one and the specification has none: in place of
// the paths, an operation, a map of properties.
func TestReferencesInOddPlaces(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"api.yaml":        "openapi: 3.0.3\npaths: {$ref: paths.yaml}\n",
		"paths.yaml":      "/vms:\n  post: {$ref: resources/create.yaml}\n  get: {$ref: resources/none.yaml#/x}\n  put: {$ref: resources/list.yaml}\n  patch: {$ref: resources/odd.yaml}\n",
		"properties.yaml": "name: {type: string}\nsize: {type: integer}\n",
		"resources/create.yaml": "operationId: createVM\ndescription: Creates one.\nparameters: [{name: dry, in: query, schema: {type: boolean}}]\n" +
			"requestBody: {content: {application/json: {schema: {type: object, properties: {$ref: ../properties.yaml}}}}}\n",
		"resources/list.yaml": "operationId: listVMs\ntags: {$ref: ../lists.yaml#/tags}\nparameters: {$ref: ../lists.yaml#/page}\nrequestBody: {content: {application/x-www-form-urlencoded: {schema: {$ref: ../lists.yaml#/form}}}}\n",
		"resources/odd.yaml":  "operationId: odd\nparameters: {$ref: ../lists.yaml#/form}\n",
		"lists.yaml":          "tags: [vms]\npage:\n- {name: page, in: query, schema: {type: integer, enum: {$ref: '#/sizes'}}}\nsizes: [10, 20]\nneeded: [a]\nparts: [{properties: {a: {type: string}}, required: {$ref: '#/needed'}}]\nform: {allOf: {$ref: '#/parts'}}\n",
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
	if len(tools) != 2 || tools[0].Name != "createVM" || !strings.Contains(tools[0].Description, "Creates one.") {
		t.Fatalf("%q", toolNames(tools))
	}
	if in := fmt.Sprintf("%s", tools[0].InputSchema); !strings.Contains(in, `"dry":{"type":"boolean"}`) || !strings.Contains(in, `"size":{"type":"integer"}`) {
		t.Errorf("the arguments are %s", in)
	}
	if in := fmt.Sprintf("%s", tools[1].InputSchema); !strings.Contains(in, `"page":{"type":"integer","enum":[10,20]}`) || !strings.Contains(in, `"a":{"type":"string"}},"required":["a"]`) {
		t.Errorf("the arguments are %s", in)
	}
	if said := strings.Join(notes, "\n"); !strings.Contains(said, "GET /vms is left out") || !strings.Contains(said, "2 of 4 operations are tools") || !strings.Contains(said, `PATCH /vms is left out: resources/odd.yaml: line 2: the reference "../lists.yaml#/form" does not lead to a list`) {
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
	_, notes := list(t, openapi.Options{Source: "openapi: 3.1.0\npaths: {/a: {post: {requestBody: {content: {application/json: {schema: {oneOf: [{type: string}, {type: integer}]}}}}}}}\n"})
	if len(notes) != 1 || notes[0] != "oneOf without a discriminator is checked as anyOf (schemas: 1)" {
		t.Errorf("notes %q", notes)
	}
}

// A discriminator chooses the alternative that arguments have to fit, and the error is about that
// one. What the document says wrongly of its values does not refuse them.
func TestDiscriminatorsChoose(t *testing.T) {
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	for _, c := range []struct{ mapping, cat, body, want string }{
		{"{cat: '#/components/schemas/Cat', dog: Dog}", "{type: string}", `{"kind":"cat","name":"T"}`, ""},
		{"{cat: '#/components/schemas/Cat', dog: Dog}", "{type: string}", `{"kind":"dog","name":"T"}`, `at /body missing "bark"`},
		{"{cat: '#/components/schemas/Cat', dog: Dog}", "{type: string}", `{"kind":"dog","bark":1}`, "at /body/bark got number, expected boolean"},
		{"{cat: '#/components/schemas/Cat', dog: Dog}", "{type: string}", `{"kind":"cow","name":"T"}`, `at /body/kind got "cow", expected one of "cat", "dog"`},
		{"{cat: '#/components/schemas/Cat', lion: Cat, dog: Dog}", "{type: string}", `{"kind":"lion","name":"T"}`, ""},
		{"{cat: '#/components/schemas/Cat', dog: Dog}", "{enum: [CAT]}", `{"kind":"CAT","name":"T"}`, ""},
		{"{}", "{type: string}", `{"kind":"Dog","name":"T"}`, `at /body missing "bark"`},
		{"{}", "{type: string}", `{"kind":"tom","name":"T"}`, ""},
		{"{}", "{enum: [cat]}", `{"kind":"cat","name":"T"}`, ""},
	} {
		op := tool(t, "op", openapi.Options{URL: s.URL, Source: `openapi: 3.0.3
paths:
  /pets:
    post:
      operationId: op
      requestBody: {content: {application/json: {schema: {oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}], discriminator: {propertyName: kind, mapping: ` + c.mapping + `}}}}}
components:
  schemas:
    Cat: {type: object, required: [kind, name], properties: {kind: ` + c.cat + `, name: {type: string}}}
    Dog: {type: object, required: [kind, bark], properties: {kind: {type: string}, bark: {type: boolean}}}
`})
		if got, ok := answer(t, op, `{"body":`+c.body+`}`); ok != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s, %s: %s: got %s, want %s", c.mapping, c.cat, c.body, got, c.want)
		}
	}
}

// A member that comes again with the same value changes nothing; with another, the document is
// not read.
func TestRepeatedMembers(t *testing.T) {
	for doc, reads := range map[string]bool{
		`{"openapi":"3.1.0","paths":{"/a":{"get":{"tags":["x"],"tags":["x"],"operationId":"a"}}}}`: true,
		`{"openapi":"3.1.0","paths":{"/a":{"get":{"tags":["x"],"tags":["y"],"operationId":"a"}}}}`: false,
		"openapi: 3.1.0\npaths:\n  /a: {get: {tags: [x], operationId: a, tags: [x]}}\n":            true,
		"openapi: 3.1.0\npaths:\n  /a: {get: {tags: [x], operationId: a, tags: [y]}}\n":            false,
	} {
		tools, err := openapi.Tools(t.Context(), openapi.Options{Source: doc})
		if (err == nil) != reads || reads && tools[0].Name != "a" {
			t.Errorf("%s: %q, %v", doc, toolNames(tools), err)
		}
	}
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
