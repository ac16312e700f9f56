package graphql

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// Any text is a schema or an error. What becomes tools has valid documents and JSON.
func FuzzTools(f *testing.F) {
	shop, err := os.ReadFile("testdata/shop.graphql")
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		string(shop), "type Query { a: Int }", "type Query { a(b: [[I!]]! = [[{c: \"\"\"x\"\"\"}]]): U } union U = A | B type A { x: Int } type B { x: [Int] } input I { c: String d: I }",
		`{"__schema":{"queryType":{"name":"Q"},"types":[{"kind":"OBJECT","name":"Q","fields":[{"name":"a","type":{"kind":"SCALAR","name":"Int"},"args":[{"name":"x","type":{"kind":"SCALAR","name":"Int"},"defaultValue":"3"}]}]},{"kind":"SCALAR","name":"Int"}]}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if !strings.ContainsAny(source, "{\n") { // a path or a URL
			return
		}
		if strings.Contains(source, "://") {
			return
		}
		tools, err := Tools(t.Context(), Options{Source: source, Mutations: []string{"*"}})
		if err != nil {
			return
		}
		for _, tool := range tools {
			if _, err := parser.ParseQuery(&ast.Source{Input: tool.Document}); err != nil {
				t.Errorf("%s: %v", tool.Document, err)
			}
			for _, schema := range []any{tool.InputSchema, tool.OutputSchema} {
				if raw, ok := schema.(json.RawMessage); !ok || !json.Valid(raw) {
					t.Errorf("%s: %s", tool.Name, raw)
				}
			}
		}
	})
}

// A caller's selection selects fields of one operation and does nothing else.
func FuzzSelect(f *testing.F) {
	source, err := os.ReadFile("testdata/shop.graphql")
	if err != nil {
		f.Fatal(err)
	}
	a, err := load(f.Context(), Options{Source: string(source)})
	if err != nil {
		f.Fatal(err)
	}
	op := &operation{operation: ast.Query, field: a.schema.Query.Fields.ForName("user"), name: "query_user"}
	a.limits = limitsFor(1)
	if err := a.plan(op); err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"id name", "{ id }", "posts(first: 2) { title ... on Post { id } }", "id } } mutation { deleteUser(id: 1)", "id # }", `avatar(size: 3) x: name @include(if: true)`, "...F } fragment F on User { id"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		document, err := op.withSelection(text)
		if err != nil {
			return
		}
		doc, err := parser.ParseQuery(&ast.Source{Input: document})
		if err != nil {
			t.Fatalf("%q made %s: %v", text, document, err)
		}
		if len(doc.Operations) != 1 || len(doc.Fragments) > 0 || doc.Operations[0].Operation != ast.Query || len(doc.Operations[0].SelectionSet) != 1 {
			t.Fatalf("%q made %s", text, document)
		}
		if root, ok := doc.Operations[0].SelectionSet[0].(*ast.Field); !ok || root.Name != "user" {
			t.Fatalf("%q made %s", text, document)
		}
	})
}
