package openapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
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
		names = append(names, tool.Name)
	}
	return names
}

// TestGoldenTools compares the tools of the test's own documents with those written
// down, and checks that every schema can be used.
func TestGoldenTools(t *testing.T) {
	for name, note := range map[string]string{
		"shop.yaml": "DELETE /orders/{id} is the tool getOrder_7ea63bc5, because another operation has its name", "library.json": "oneOf without a discriminator is checked as anyOf (schemas: 1)", "clinic.yaml": "",
	} {
		tools, notes := list(t, openapi.Options{Source: name, Dir: "testdata", Deprecated: true})
		if got := strings.Join(notes, "\n"); got != note {
			t.Errorf("%s: notes %q", name, notes)
		}
		var out bytes.Buffer
		for _, tool := range tools {
			text, err := json.MarshalIndent(tool.Tool, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			out.Write(append(text, '\n'))
			for _, raw := range []any{tool.InputSchema, tool.OutputSchema} {
				if raw, ok := raw.(json.RawMessage); ok {
					if _, without, err := schema.Usable(raw); err != nil || len(without) > 0 {
						t.Errorf("%s: %v, not valid: %q", tool.Name, err, without)
					}
				}
			}
		}
		golden.Check(t, "testdata/"+name+".tools", out.String())
	}
}

// TestSelectors chooses operations by tag, method, path and operationId.
func TestSelectors(t *testing.T) {
	all := []string{"listOrders", "create_order", "getOrder", "put_orders_id", "getOrder_7ea63bc5", "post_orders_id_photos_ext", "checkReport"}
	for _, c := range []struct {
		include, exclude []string
		want             []string
	}{
		{nil, nil, all},
		{[]string{"tag:admin"}, nil, []string{"put_orders_id", "getOrder_7ea63bc5"}},
		{[]string{"tag:orders"}, []string{"tag:admin", "POST"}, []string{"listOrders", "getOrder"}},
		{[]string{"GET"}, nil, []string{"listOrders", "getOrder"}},
		{[]string{"get /orders"}, nil, []string{"listOrders"}},
		{[]string{"/orders/*"}, nil, []string{"getOrder", "put_orders_id", "getOrder_7ea63bc5"}},
		{[]string{"/orders/**"}, nil, all[:6]},
		{[]string{"DELETE /**"}, nil, []string{"getOrder_7ea63bc5"}},
		{[]string{"/**/photos*"}, nil, []string{"post_orders_id_photos_ext"}},
		{[]string{"list*", "put_*"}, nil, []string{"listOrders", "put_orders_id"}},
		{nil, []string{"/orders/**"}, []string{"checkReport"}},
	} {
		tools, _ := list(t, openapi.Options{Source: "shop.yaml", Dir: "testdata", Include: c.include, Exclude: c.exclude})
		if got := toolNames(tools); !slices.Equal(got, c.want) {
			t.Errorf("%q without %q: got %q, want %q", c.include, c.exclude, got, c.want)
		}
	}
}

// TestNames are those that MCP takes, each once.
func TestNames(t *testing.T) {
	long := strings.Repeat("x", 100)
	tools, _ := list(t, openapi.Options{Prefix: "api", Source: `openapi: 3.1.0
paths:
  /:
    get: {}
    post: {operationId: "  "}
  /a/{b}.json:
    get: {}
    put: {operationId: "été ~ Größe"}
  /c:
    get: {operationId: ` + long + `}
    put: {operationId: ` + long + `}
    post: {operationId: 42}
    patch: {operationId: 42}
    delete: {operationId: _x_}
`})
	want := []string{
		"api_get", "api_post", "api_get_a_b_json", "api_t_Gr_e", "api_" + long[:51] + "_341ba700", "api_" + long[:51] + "_aa68c5d5", "api_42", "api_42_8c087984", "api__x_",
	}
	if got := toolNames(tools); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// A document in which every operation has one name, and every schema is the next, is
// read in time that grows with its size.
func TestMonotonousDocuments(t *testing.T) {
	const many = 20_000
	var doc strings.Builder
	doc.WriteString("openapi: 3.1.0\npaths:\n")
	for i := range many {
		fmt.Fprintf(&doc, "  /a%d: {get: {operationId: a}}\n", i)
	}
	doc.WriteString("  /s: {get: {parameters: [{name: s, in: query, schema: {$ref: '#/components/schemas/S0'}}]}}\ncomponents:\n  schemas:\n")
	for i := range many {
		fmt.Fprintf(&doc, "    S%d: {allOf: [{$ref: '#/components/schemas/S%d'}]}\n", i, (i+1)%many)
	}
	tools, notes := list(t, openapi.Options{Source: doc.String()})
	if got := tools[many-1].Name; got != "a_6c632bc4" {
		t.Errorf("the last is %s", got)
	}
	if got := string(tools[many].InputSchema.(json.RawMessage)); !strings.Contains(got, `"S0":{}`) || !strings.Contains(notes[len(notes)-1], "S0 is defined by itself") {
		t.Errorf("%.300s, %s", got, notes[len(notes)-1])
	}
}

// TestDeprecated leaves out what is deprecated, unless it is required or asked for.
func TestDeprecated(t *testing.T) {
	const doc = `openapi: 3.0.3
paths:
  /a/{p}:
    get:
      operationId: a
      parameters:
        - {name: p, in: path, required: true, deprecated: true, schema: {type: string}}
        - {name: q, in: query, deprecated: true, schema: {type: string}}
    put: {operationId: b, deprecated: true}
`
	for deprecated, want := range map[bool]string{false: "a", true: "a b"} {
		tools, _ := list(t, openapi.Options{Source: doc, Deprecated: deprecated})
		input := string(tools[0].InputSchema.(json.RawMessage))
		if got := strings.Join(toolNames(tools), " "); got != want || strings.Contains(input, `"q"`) != deprecated || !strings.Contains(input, `"p"`) {
			t.Errorf("%t: %s, %s", deprecated, got, input)
		}
	}
}

// TestYAMLIsJSON reads the same document in both, and YAML's own spellings.
func TestYAMLIsJSON(t *testing.T) {
	tools, _ := list(t, openapi.Options{Source: `%YAML 1.2
---
openapi: 3.1
base: &base {type: integer, maximum: 0x10}
paths:
  /a:
    get:
      operationId: a
      parameters:
        - name: n
          in: query
          schema:
            <<: *base
            minimum: -.5
            default: +1
            multipleOf: 9007199254740993
            description: Yes
            enum: [1_0, 1e3, ~, "true", True, 2001-01-01, .inf, 0o17]
            maximum: 5.
`})
	want := `{"type":"object","properties":{"n":{"minimum":-0.5,"default":1,"multipleOf":9007199254740993,"description":"Yes","enum":["1_0",1e3,null,"true",true,"2001-01-01",".inf",15],"type":"integer"}},"additionalProperties":false}`
	if got := string(tools[0].InputSchema.(json.RawMessage)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestManyDefinitions repeats the nearest ones, and of the others what they are.
func TestManyDefinitions(t *testing.T) {
	tools, _ := list(t, openapi.Options{Source: large(3000)})
	raw := tools[0].OutputSchema.(json.RawMessage)
	if len(raw) > 4<<10 || !strings.Contains(string(raw), `"Thing3":{"type":"object","required"`) || !strings.Contains(string(raw), `{"type":"object"}`) {
		t.Errorf("%d bytes: %s", len(raw), raw)
	}
	if err := schema.Verify(raw); err != nil {
		t.Error(err)
	}
}

// odd is a document with schemas that JSON Schema does not allow.
const odd = `openapi: 3.0.3
paths:
  /a:
    post:
      operationId: a
      requestBody:
        content:
          application/json:
            schema:
              type: [object, object, file]
              required: [a, a, 7]
              properties:
                a: {type: strng, minLength: -1, maxLength: 1.5, pattern: "(", multipleOf: 0, enum: 5, required: true}
                b: {multipleOf: -0.0e5, maximum: high, items: [{type: string}], format: 5, default: [1]}
                c: {$ref: "#/components/schemas/Loop"}
                d: {allOf: [], oneOf: {}, properties: [], additionalProperties: 5, not: 7, dependentRequired: {a: [b, b], c: 5}}
                e: {$ref: "#/components/schemas/Tree"}
      responses: {200: {description: it, content: {application/json: {schema: {allOf: [{$ref: "#/components/schemas/Loop"}, {type: object}]}}}}}
components:
  schemas:
    Loop: {anyOf: [{type: object, properties: {again: {$ref: "#/components/schemas/Loop"}}}, {$ref: "#/components/schemas/Other"}]}
    Other: {nullable: true, allOf: [{$ref: "#/components/schemas/Loop"}]}
    Tree: {type: object, properties: {left: {$ref: "#/components/schemas/Tree"}}, additionalProperties: {$ref: "#/components/schemas/Tree"}}
`

// TestOddSchemas leaves out what JSON Schema does not allow. Schemas that are defined by
// themselves accept any value; those that contain themselves are kept.
func TestOddSchemas(t *testing.T) {
	tools, notes := list(t, openapi.Options{Source: odd})
	const input = `{"type":"object","properties":{"body":{"type":"object","required":["a"],"properties":{` +
		`"a":{},"b":{"default":[1]},"c":{"$ref":"#/$defs/Loop"},"d":{"dependentRequired":{"a":["b"],"c":[]}},"e":{"$ref":"#/$defs/Tree"}}}},` +
		`"additionalProperties":false,"$defs":{"Loop":{},"Tree":{"type":"object","properties":{"left":{"$ref":"#/$defs/Tree"}},"additionalProperties":{"$ref":"#/$defs/Tree"}}}}`
	got := string(tools[0].InputSchema.(json.RawMessage))
	if got = strings.ReplaceAll(got, `"pattern":"("`, ""); got != input {
		t.Errorf("got  %s\nwant %s", got, input)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "line 21: the schema Loop is defined by itself; any value is accepted there") {
		t.Errorf("notes %q", notes)
	}
	for _, raw := range []any{tools[0].InputSchema, tools[0].OutputSchema} {
		if err := schema.Verify(raw.(json.RawMessage)); err != nil {
			t.Errorf("%v: %s", err, raw)
		}
	}
}
