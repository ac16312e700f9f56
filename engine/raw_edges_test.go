package engine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
)

// rawReads are the methods that read a value by the text of its key.
var rawReads = []string{"Get", "Field", "Require", "Key"}

// TestEdgesAreNotReadRaw: package graph reads the edges of a node, and recover_*.go
// what stands in their place. All others take them from graph.NodeEdges, so that an
// edge means the same to the checker and to the editor.
func TestEdgesAreNotReadRaw(t *testing.T) {
	for _, dir := range []string{"catalog", "engine", "examples", "internal", "mcpserver", "run", "search", "specs"} {
		err := filepath.WalkDir(filepath.Join("..", dir), func(path string, _ fs.DirEntry, err error) error {
			base := filepath.Base(path)
			if err != nil || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "recover_") {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, read := range readsOfEdges(file) {
				t.Errorf("%s reads an edge by its key: take it from graph.NodeEdges", files.Position(read.Pos()))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// readsOfEdges finds the calls whose result is the value under a key of an edge.
// Require as a statement only reports that it is missing.
func readsOfEdges(file *ast.File) []ast.Node {
	var found []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.ExprStmt); ok {
			if call, ok := s.X.(*ast.CallExpr); ok && called(call) == "Require" {
				return false
			}
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || !slices.Contains(rawReads, called(call)) {
			return true
		}
		for _, arg := range call.Args {
			if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if key, _ := strconv.Unquote(lit.Value); slices.Contains(graph.EdgeKeys, key) {
					found = append(found, call)
				}
			}
		}
		return true
	})
	return found
}

// called returns the name of the method that is called.
func called(call *ast.CallExpr) string {
	if s, ok := call.Fun.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}

// Every kind says which of its fields are edges, a library's too.
func TestKindsDeclareTheirEdges(t *testing.T) {
	for _, k := range engine.Kinds() {
		for _, f := range k.Fields {
			if f.Edges != slices.Contains(graph.EdgeKeys, f.Name) {
				t.Errorf("%s: Edges of the field %q is %v", k.Spec.NodeType, f.Name, f.Edges)
			}
		}
	}
	theirs := engine.Kind{Compile: func(*engine.Pass, *engine.Node) engine.Compiled { return engine.Compiled{} }}
	theirs.Spec.NodeType = "theirs"
	for _, f := range []engine.Field{{Name: "next"}, {Name: "fallback", Edges: true}} {
		theirs.Fields = []engine.Field{f}
		if _, err := engine.Extend(theirs); err == nil || !strings.Contains(err.Error(), "Edges") {
			t.Errorf("a kind with %+v: got %v", f, err)
		}
	}
}
