package testenv

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Hints returns what the module in a folder has as hints, by where it stands, with … where
// something is put in.
func Hints(t testing.TB, root string) map[token.Position]string {
	t.Helper()
	files, parsed := ProductFiles(t, root)
	hints := map[token.Position]string{}
	look := func(e ast.Expr) {
		if hint := shape(e); strings.Trim(hint, "…") != "" {
			hints[files.Position(e.Pos())] = hint
		}
	}
	for _, f := range parsed {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, left := range n.Lhs {
					if Named(left) == "Hint" && n.Tok == token.ASSIGN && len(n.Lhs) == len(n.Rhs) {
						look(n.Rhs[i])
					}
				}
			case *ast.KeyValueExpr:
				if Named(n.Key) == "Hint" {
					look(n.Value)
				}
			case *ast.CallExpr:
				switch name := Named(n.Fun); {
				case name == "JoinHints":
					for _, hint := range n.Args {
						look(hint)
					}
				case name == "BadArgument" && len(n.Args) > 1:
					look(n.Args[1])
				case name == "WithHint":
					look(n.Args[0])
				}
			}
			return true
		})
	}
	return hints
}

// shape is the text of an expression, with … for what is not written in it.
func shape(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if err == nil {
			return text
		}
	case *ast.BinaryExpr:
		return shape(e.X) + shape(e.Y)
	case *ast.CallExpr:
		if Named(e.Fun) == "Sprintf" {
			return regexp.MustCompile(`%[^a-z%]*[a-z]`).ReplaceAllString(shape(e.Args[0]), "…")
		}
	}
	return "…"
}

// Named is the name at the end of an identifier or a selector.
func Named(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// ProductFiles returns the files of the module in a folder that are no tests.
func ProductFiles(t testing.TB, root string) (files *token.FileSet, parsed []*ast.File) {
	t.Helper()
	files = token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"testdata", "examples", "tools", ".git", "adding"}, d.Name()):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		parsed = append(parsed, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, parsed
}
