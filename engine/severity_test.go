package engine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestSeveritiesAreNotChanged: a rule has one severity. What is reported as another
// is another rule.
func TestSeveritiesAreNotChanged(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			assign, ok := n.(*ast.AssignStmt)
			if !ok {
				return true
			}
			for _, left := range assign.Lhs {
				if field, ok := left.(*ast.SelectorExpr); ok && field.Sel.Name == "Severity" {
					t.Errorf("%s sets the severity of a diagnostic: define another rule", set.Position(left.Pos()))
				}
			}
			return true
		})
	}
}
