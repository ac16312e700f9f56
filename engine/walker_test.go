package engine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestWalkerTouchesTheWorldOnlyThroughItsRuntime keeps goroutines, the clock and
// randomness out of what runs a plan: a run that is replayed elsewhere takes the
// same path.
func TestWalkerTouchesTheWorldOnlyThroughItsRuntime(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	timers := []string{"WithTimeout", "WithTimeoutCause", "WithDeadline", "WithDeadlineCause"}
	clock := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}
	walker := 0
	for _, file := range files {
		base := strings.TrimSuffix(file, ".go")
		if strings.HasSuffix(base, "_test") {
			continue
		}
		walker++
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range tree.Imports {
			if path, _ := strconv.Unquote(imp.Path.Value); strings.HasPrefix(path, "math/rand") || path == "crypto/rand" || path == "os" || path == "net/http" {
				t.Errorf("%s imports %s", file, path)
			}
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt, *ast.SelectStmt:
				t.Errorf("%s: a goroutine or select; use Runtime.Fan, Sleep or Call", set.Position(n.Pos()))
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && slices.Contains(clock, n.Sel.Name) {
					t.Errorf("%s: time.%s; use Runtime.Now or Sleep", set.Position(n.Pos()), n.Sel.Name)
				} else if ok && x.Name == "context" && slices.Contains(timers, n.Sel.Name) {
					t.Errorf("%s: context.%s; use Runtime.Deadline", set.Position(n.Pos()), n.Sel.Name)
				}
			}
			return true
		})
	}
	if walker < 12 {
		t.Fatalf("only %d files of the walker were found", walker)
	}
}
