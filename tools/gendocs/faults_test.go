package main

import (
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// TestFaultsAreDeclared finds faults whose code is written as text: a code is declared
// once, by diag.DefineFault, and the page of faults lists what is declared.
func TestFaultsAreDeclared(t *testing.T) {
	files, parsed := testenv.ProductFiles(t, repository)
	for _, f := range parsed {
		refuse := func(e ast.Expr) {
			if text, ok := e.(*ast.BasicLit); ok && f.Name.Name != "jsonata" && text.Value != `""` {
				t.Errorf("%s: the code %s is text: declare it with diag.DefineFault", files.Position(e.Pos()), text.Value)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if name := testenv.Named(n.Fun); len(n.Args) > 0 && (strings.EqualFold(name, "Faultf") || name == "Fault") {
					refuse(n.Args[0])
				}
			case *ast.AssignStmt:
				if len(n.Lhs) == 1 && testenv.Named(n.Lhs[0]) == "Code" {
					refuse(n.Rhs[0])
				}
			case *ast.CompositeLit:
				if s, ok := n.Type.(*ast.SelectorExpr); !ok || testenv.Named(s.X) != "diag" || s.Sel.Name != "Fault" {
					return true
				}
				for _, e := range n.Elts {
					if kv := e.(*ast.KeyValueExpr); testenv.Named(kv.Key) == "Code" {
						refuse(kv.Value)
					}
				}
			}
			return true
		})
	}
}

// TestCodesMeanOneThing allows a code to be both that of a rule and of a fault only
// where a check and a run find the same.
func TestCodesMeanOneThing(t *testing.T) {
	same := []string{"expr-syntax", "http-not-allowed", "server-failed", "server-starting", "syntax", "tool-changed", "tool-denied", "unknown-graph", "unknown-model", "unknown-server", "unknown-tool"}
	for _, f := range diag.FaultKinds() {
		rule := slices.ContainsFunc(diag.Rules(), func(r *diag.Rule) bool { return r.Code == f.Code })
		if rule != slices.Contains(same, f.Code) {
			t.Errorf("%s is a fault, and a rule: %t", f.Code, rule)
		}
	}
}
