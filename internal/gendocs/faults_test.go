package main

import (
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/testenv"
)

// faultRow is a row of a table of docs/faults.md.
var faultRow = regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\| [^|]+ \\| [^|]+ \\|$")

// TestFaultsAreListed compares the codes of docs/faults.md with those of the faults
// that the program makes.
func TestFaultsAreListed(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(repository, referenceDir, "faults.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, row := range faultRow.FindAllStringSubmatch(string(b), -1) {
		if listed[row[1]] {
			t.Errorf("%s is listed twice", row[1])
		}
		listed[row[1]] = true
	}
	made := faultCodes(t)
	for _, code := range slices.Sorted(maps.Keys(made)) {
		if !listed[code] {
			t.Errorf("%s: the fault %s is not in docs/faults.md", made[code], code)
		}
		delete(listed, code)
	}
	for code := range listed {
		t.Errorf("docs/faults.md lists %s, which nothing makes", code)
	}
}

// TestCodesMeanOneThing allows a code to be both that of a rule and of a fault only
// where a check and a run find the same.
func TestCodesMeanOneThing(t *testing.T) {
	same := []string{"expr-syntax", "http-not-allowed", "server-failed", "server-starting", "syntax", "tool-changed", "tool-denied", "unknown-graph", "unknown-server", "unknown-tool"}
	made := faultCodes(t)
	for _, r := range diag.Rules() {
		if at, ok := made[r.Code]; ok && !slices.Contains(same, r.Code) {
			t.Errorf("%s is a rule and, at %s, another fault", r.Code, at)
		}
	}
}

// faultCodes are the codes of all faults that the module makes, each with a place:
// the constant first argument of a function called Fault or Faultf, and the Code of a diag.Fault.
func faultCodes(t *testing.T) map[string]string {
	t.Helper()
	files, parsed := testenv.ProductFiles(t, repository)
	constants := map[string]string{} // "package.Name"
	for _, f := range parsed {
		ast.Inspect(f, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				for i, v := range spec.Values {
					if text, ok := v.(*ast.BasicLit); ok && text.Kind == token.STRING && i < len(spec.Names) {
						constants[f.Name.Name+"."+spec.Names[i].Name], _ = strconv.Unquote(text.Value)
					}
				}
			}
			return true
		})
	}
	codes := map[string]string{}
	for _, f := range parsed {
		add := func(e ast.Expr) {
			code := ""
			switch e := e.(type) {
			case *ast.BasicLit:
				code, _ = strconv.Unquote(e.Value)
			case *ast.Ident:
				code = constants[f.Name.Name+"."+e.Name]
			case *ast.SelectorExpr:
				code = constants[testenv.Named(e.X)+"."+e.Sel.Name]
			}
			if code != "" {
				codes[code] = files.Position(e.Pos()).String()
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if name := testenv.Named(n.Fun); len(n.Args) > 0 && (strings.EqualFold(name, "Faultf") || name == "Fault") {
					add(n.Args[0])
				}
			case *ast.AssignStmt:
				if f.Name.Name != "jsonata" && len(n.Lhs) == 1 && testenv.Named(n.Lhs[0]) == "Code" {
					add(n.Rhs[0])
				}
			case *ast.CompositeLit:
				if s, ok := n.Type.(*ast.SelectorExpr); !ok || testenv.Named(s.X) != "diag" || s.Sel.Name != "Fault" {
					return true
				}
				for _, e := range n.Elts {
					if kv := e.(*ast.KeyValueExpr); testenv.Named(kv.Key) == "Code" {
						add(kv.Value)
					}
				}
			}
			return true
		})
	}
	return codes
}
