package patchbay_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxMethods is how many exported methods a type has, without those of what it embeds.
const maxMethods = 15

// tables are the types that have more, each method a row, and what a row is.
var tables = map[string]string{
	".App":                           "an operation",
	"graph.Value":                    "a question about a place of a document, or a change of it",
	"schema.Node":                    "a keyword of JSON Schema",
	"types.Type":                     "an operation of the lattice",
	"run.Record":                     "a question about a run",
	"engine.Plan":                    "a question about a compiled graph",
	"internal/store/journal.Journal": "a method of runs.RunStore",
	"internal/store/journal.Memory":  "a method of runs.RunStore",
	"internal/execution/runs.Local":  "a method of runs.Runner",
}

// large are the other types with more methods, and how many they have. That number must not
// grow.
var large = map[string]int{
	"internal/servers/downstream.Hub":    29,
	"internal/cli/command.Flags":         25,
	"internal/library/graphfiles.Graphs": 24,
}

// TestMethods counts the exported methods of the types of the product.
func TestMethods(t *testing.T) {
	methods := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, module := os.Stat(filepath.Join(path, "go.mod"))
			if path != "." && (module == nil || slices.Contains([]string{"tools", "ui", "docs", "examples"}, path) || slices.Contains([]string{".git", "testdata", "tests", "node_modules"}, d.Name())) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.IsExported() {
				name := receiver(f.Recv.List[0].Type)
				if dir := filepath.ToSlash(filepath.Dir(path)); dir != "." {
					name = dir + name
				}
				methods[name] = append(methods[name], f.Name.Name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, list := range methods {
		_, table := tables[name]
		switch {
		case large[name] > 0 && len(list) < large[name]:
			t.Errorf("%s has %d exported methods: say so in large, or take it out", name, len(list))
		case len(list) > max(maxMethods, large[name]) && !table:
			t.Errorf("%s has %d exported methods, expected at most %d: %s", name, len(list), max(maxMethods, large[name]), strings.Join(list, ", "))
		case len(list) <= maxMethods && table:
			t.Errorf("%s has %d exported methods, so take it out of tables", name, len(list))
		}
	}
	for name := range tables {
		if methods[name] == nil {
			t.Errorf("tables names %s, which has no method", name)
		}
	}
}

// receiver is a dot and the name of the type of a receiver.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return "." + e.Name
	}
	return ""
}
