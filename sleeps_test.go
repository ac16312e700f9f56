package patchbay_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestNoTestSleeps: a test waits for what happens, not for time. Where testing/synctest
// is imported time.Sleep moves a clock of the test's own; benchmarks, in bench*_test.go,
// may take their time.
func TestNoTestSleeps(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		base := filepath.Base(path)
		if err != nil || !strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "bench") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"testing/synctest"` }) {
			return nil
		}
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok || s.Sel.Name != "Sleep" {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" {
				t.Errorf("%s sleeps: wait for an event, or use testing/synctest", files.Position(n.Pos()))
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
