package schemas_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/cli/schemas"
	"github.com/patchbay-mcp/patchbay/schema"
)

// check validates YAML against a schema, and returns what is wrong with it.
func check(t *testing.T, name, text string) []schema.Mismatch {
	t.Helper()
	s := schema.New(schemas.Of(name))
	if err := s.Err(); err != nil {
		t.Fatalf("the schema %s: %v", name, err)
	}
	doc, faults := graph.Parse("x.yaml", text)
	if doc == nil {
		t.Fatal(faults[0].Message)
	}
	raw, err := json.Marshal(doc.Root)
	if err != nil {
		t.Fatal(err)
	}
	return s.Check(raw)
}

func TestExamplesHaveTheirSchemas(t *testing.T) {
	root := filepath.Join("..", "..", "..", "examples")
	// An OpenAPI document, a graph with a program's own node types, one of an earlier format.
	others := []string{"rates.yaml", "shop.yaml", "older.yaml"}
	seen := map[string]int{}
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" || strings.Contains(path, "packs") || slices.Contains(others, filepath.Base(path)) {
			return err
		}
		name := "graph"
		switch {
		case filepath.Base(path) == "patchbay.yaml":
			name = "config"
		case strings.HasSuffix(path, ".test.yaml"):
			name = "test"
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen[name]++
		if found := check(t, name, string(text)); len(found) > 0 {
			t.Errorf("%s is not as the schema %s has it: %v", path, name, found)
		}
		return nil
	})
	if err != nil || len(seen) != 3 {
		t.Errorf("%v %v", seen, err)
	}
}

func TestSchemasFindFaults(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"config", "limit: {maxRuns: 2}"},
		{"config", "limits: {maxRuns: many}"},
		{"config", "limits: {maxRun: 2}"},
		{"config", "runs: {store: disk}"},
		{"graph", "name: x"},
		{"graph", "nodes: [{id: entry, type: entri, next: exit}]"},
		{"graph", "nodes: [{id: s, type: switch, next: exit}]"},
		{"graph", "tools: [{name: x, description: d}]"},
		{"test", "- {argument: {}}"},
		{"test", "- {arguments: {}, given: [{output: 1}]}"},
	} {
		if len(check(t, c.name, c.text)) == 0 {
			t.Errorf("the schema %s accepts %s", c.name, c.text)
		}
	}
	for _, c := range []struct{ name, text string }{
		{"config", "limits: {maxRuns: \"${RUNS:-2}\"}"},
		{"config", "servers: {fs: {command: npx, args: [-y, x]}}"},
		{"test", "arguments: {}"},
		{"graph", "nodes: [{id: w, type: wait, ms: {expr: \"1\"}, next: exit}]"},
	} {
		if found := check(t, c.name, c.text); len(found) > 0 {
			t.Errorf("the schema %s refuses %s: %v", c.name, c.text, found)
		}
	}
}

func TestNoOtherSchema(t *testing.T) {
	if s := schemas.Of("graphs"); s != nil {
		t.Errorf("%s", s)
	}
}
