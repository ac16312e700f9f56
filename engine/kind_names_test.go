package engine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/engine"
)

// otherMeanings are the comparisons with a word that is also the name of a node
// type, by folder and word.
var otherMeanings = map[string]string{
	"engine http":                       "the scheme of a URL",
	"internal/author/codein ask":        "a function of the language",
	"internal/around/flowjson end":      "a node type of that format",
	"internal/around/flowjson hook":     "a node type of that format",
	"internal/around/flowjson mcp-call": "a node type of that format",
	"internal/around/flowjson start":    "a node type of that format",
	"internal/cli graph":                "an argument of an operation",
	"internal/cli mcp":                  "a group of commands",
	"internal/servers/serverfile http":  "the scheme of a URL, and the transport of a server",
	"internal/servers/serverfile mcp":   "a part of the name of a host",
	"internal/app/arguments graph":      "an argument of an operation",
	"internal/config http":              "the scheme of a URL",
	"internal/servers/downstream http":  "the transport of a server",
	"internal/servers/transport http":   "the scheme of a URL",
	"internal/servers/egress http":      "the scheme of a URL",
	"internal/sys/telemetry http":       "the scheme of a URL",
}

// TestKindsAreNotNamed: what is known of a node type is said in its kind, and
// nothing else asks for its name.
func TestKindsAreNotNamed(t *testing.T) {
	names := map[string]bool{}
	for _, k := range engine.Kinds() {
		names[k.Spec.NodeType] = true
	}
	for _, dir := range []string{"catalog", "engine", "graph", "internal", "mcpserver", "run", "search", "specs"} {
		err := filepath.WalkDir(filepath.Join("..", dir), func(path string, _ fs.DirEntry, err error) error {
			base := filepath.Base(path)
			if err != nil || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "kind_") {
				return err
			}
			for _, c := range comparisons(t, path) {
				if !names[c.word] {
					continue
				}
				file, _ := filepath.Rel("..", path)
				key := filepath.ToSlash(filepath.Dir(file)) + " " + c.word
				if otherMeanings[key] == "" {
					t.Errorf("%s:%d compares with %q, the name of a node type: make what it asks a field of engine.Kind", file, c.line, c.word)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

type comparison struct {
	word string
	line int
}

// comparisons finds the texts that a file compares with: by == and != and in the
// cases of a switch.
func comparisons(t *testing.T, path string) []comparison {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var found []comparison
	add := func(operands ...ast.Expr) {
		for _, x := range operands {
			if lit, ok := x.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				word, _ := strconv.Unquote(lit.Value)
				found = append(found, comparison{word, files.Position(lit.Pos()).Line})
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				add(n.X, n.Y)
			}
		case *ast.CaseClause:
			add(n.List...)
		}
		return true
	})
	return found
}
