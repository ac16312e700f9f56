package graphql

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestWhatBecomesTools(t *testing.T) {
	for name, test := range map[string]struct {
		o     Options
		tools []string
		notes []string
	}{
		"include and exclude": {
			Options{Include: []string{"user*", "createUser"}, Exclude: []string{"userBy"}, Mutations: []string{"*"}},
			[]string{"mutation_createUser", "query_user", "query_users"},
			nil,
		},
		"listed mutations": {
			Options{Include: []string{"version", "*User"}, Mutations: []string{"create*", "deletUser"}},
			[]string{"mutation_createUser", "query_version"},
			[]string{`mutations has "deletUser", which matches nothing; did you mean "deleteUser"?`},
		},
		"mutations that are excluded": {
			Options{Include: []string{"version", "deleteUser"}, Exclude: []string{"delete*"}, Mutations: []string{"deleteUser"}},
			[]string{"query_version"},
			nil,
		},
		"deprecated": {
			Options{Include: []string{"oldest", "prodct"}, Deprecated: true},
			[]string{"query_oldest"},
			[]string{`include has "prodct", which matches nothing; did you mean "product"?`},
		},
		"prefix": {Options{Include: []string{"version"}, Prefix: "my shop"}, []string{"my_shop_query_version"}, nil},
	} {
		test.o.Source = "testdata/shop.graphql"
		tools, notes := toolsOf(t, test.o)
		if got := slices.Sorted(maps.Keys(tools)); !slices.Equal(got, test.tools) {
			t.Errorf("%s: %q", name, got)
		}
		for _, note := range test.notes {
			if !slices.Contains(notes, note) {
				t.Errorf("%s: the notes are %q", name, notes)
			}
		}
	}
	if _, err := Tools(t.Context(), Options{Source: "testdata/shop.graphql", Include: []string{"nothing"}}); err == nil || !strings.Contains(err.Error(), "check include") {
		t.Errorf("nothing is included: %v", err)
	}
}

func TestDepth(t *testing.T) {
	const sdl = `type Query { a: A other: A } type A { id: ID a: A }`
	tools, _ := toolsOf(t, Options{Source: sdl, Depth: 1, Depths: map[string]int{"a": 4}})
	for name, want := range map[string]string{"query_a": "query Query_a { a { id a { id a { id a { id } } } } }", "query_other": "query Query_other { other { id } }"} {
		if got := tools[name].Document; got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A selection of a wide type has fewer levels, one of many members no fragments.
func TestWideSelections(t *testing.T) {
	var sdl strings.Builder
	sdl.WriteString("type Query { wide: Wide all: All } interface All { id: ID }\ntype Wide {\n")
	for i := range 60 {
		fmt.Fprintf(&sdl, "f%d: Int w%d: Wide\n", i, i)
	}
	sdl.WriteString("}\n")
	for i := range 200 {
		fmt.Fprintf(&sdl, "type M%d implements All { id: ID a: Int b: Int c: Int d: Int e: Int f: Int }\n", i)
	}
	tools, notes := toolsOf(t, Options{Source: sdl.String()})
	if doc := tools["query_wide"].Document; strings.Count(doc, "{") != 2 || !strings.Contains(doc, "f59") {
		t.Errorf("%s", doc)
	}
	if doc := tools["query_all"].Document; doc != "query Query_all { all { __typename id } }" {
		t.Errorf("%s", doc)
	}
	if !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, "2 tools select fewer levels") }) {
		t.Errorf("%q", notes)
	}
}

// Input objects that refer to very many others keep the near ones.
func TestWideInputs(t *testing.T) {
	var sdl strings.Builder
	sdl.WriteString("type Query { find(by: In0): Int }\n")
	for i := range 3000 {
		fmt.Fprintf(&sdl, "input In%d { name%d: String next: In%d other: In%d }\n", i, i, (i+1)%3000, (i*7)%3000)
	}
	tools, notes := toolsOf(t, Options{Source: sdl.String()})
	schema := tools["query_find"].InputSchema.(json.RawMessage)
	if len(schema) > 512<<10 || !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, "1 input schemas allow any value") }) {
		t.Errorf("%d bytes, %q", len(schema), notes)
	}
	for arguments, want := range map[string]bool{`{"by":{"next":{"name1":"x"}}}`: true, `{"by":{"next":{"name2":"x"}}}`: false} {
		if accepts(t, tools["query_find"], arguments) != want {
			t.Errorf("%s: accepted %v", arguments, !want)
		}
	}
}

// What a schema says of fields and arguments is in the tools.
func TestDescriptions(t *testing.T) {
	tools, _ := toolsOf(t, Options{Source: "testdata/shop.graphql", Deprecated: true, Mutations: []string{"*"}})
	for name, want := range map[string]string{
		"query_user": "One user by id", "query_version": "The GraphQL query version, of type String!.",
		"query_oldest": "The GraphQL query oldest, of type User. Deprecated: use users",
	} {
		if got := tools[name].Description; got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	query, mutation := tools["query_user"].Annotations, tools["mutation_deleteUser"].Annotations
	if !query.ReadOnlyHint || !query.IdempotentHint || *query.DestructiveHint || mutation.ReadOnlyHint || mutation.IdempotentHint || !*mutation.DestructiveHint {
		t.Errorf("query %+v, mutation %+v", query, mutation)
	}
	if schema := string(tools["query_users"].InputSchema.(json.RawMessage)); !strings.Contains(schema, "Deprecated: no longer supported") && !strings.Contains(schema, `"old"`) {
		t.Errorf("%s", schema)
	}
}
