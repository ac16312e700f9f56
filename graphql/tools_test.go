package graphql

import (
	"strings"
	"testing"
)

// toolsOf are the tools of some SDL by name, and what was noted.
func toolsOf(t *testing.T, o Options) (map[string]Tool, []string) {
	t.Helper()
	var notes []string
	o.Note = func(text string) { notes = append(notes, text) }
	tools, err := Tools(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]Tool{}
	for _, tool := range tools {
		byName[tool.Name] = tool
	}
	return byName, notes
}

func TestDocuments(t *testing.T) {
	tools, notes := toolsOf(t, Options{Source: "testdata/shop.graphql", Mutations: []string{"*"}, Depth: 2})
	for name, want := range map[string]string{
		"query_version":       "query Query_version { version }",
		"query_product":       "query Query_product($id: ID!) { product(id: $id) { id name title price related { id name title price } } }",
		"query_sum":           "query Query_sum($select: [BigInt!]!) { sum(select: $select) }",
		"mutation_deleteUser": "mutation Mutation_deleteUser($id: ID!) { deleteUser(id: $id) }",
	} {
		if got := tools[name].Document; got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if _, ok := tools["query_oldest"]; ok {
		t.Error("a deprecated query is a tool")
	}
	if got := strings.Join(notes, "\n"); !strings.Contains(got, "1 deprecated queries") || !strings.Contains(got, "1 subscriptions are left out") {
		t.Errorf("notes: %s", got)
	}
}
