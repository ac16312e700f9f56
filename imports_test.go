package patchbay

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers says which of our packages each package may import. It is the
// architecture, and this test keeps it true.
var layers = map[string][]string{
	".":            {},
	"diag":         {},
	"bounded":      {},
	"specs":        {"bounded"},
	"workspace":    {},
	"graph":        {"diag"},
	"expr":         {"diag"},
	"egress":       {"diag"},
	"config":       {"diag", "graph", "egress"},
	"search":       {"specs", "diag"},
	"catalog":      {"specs", "search", "diag"},
	"engine":       {"diag", "bounded", "specs", "graph", "expr"},
	"engine/local": {"diag", "specs", "expr", "engine"},
	"downstream":   {"diag", "bounded", "specs", "engine"},
	"store":        {"diag", "graph", "expr", "engine"},
	"verbs":        {"diag", "specs", "graph", "expr", "engine", "engine/local", "search", "catalog", "downstream", "egress", "store"},
	"mcpserver":    {"diag", "specs", "engine", "verbs"},
	"cmd/patchbay": {"diag", "specs", "graph", "expr", "engine", "search", "catalog", "downstream", "egress", "store", "verbs", "mcpserver", "config", "workspace"},
}

func TestImports(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	const mod = "github.com/patchbay-mcp/patchbay"
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		pkg := strings.TrimPrefix(strings.TrimPrefix(f[0], mod), "/")
		if pkg == "" {
			pkg = "."
		}
		may, known := layers[pkg]
		if !known {
			t.Errorf("%s: say in layers what it may import", pkg)
		}
		for _, imp := range f[1:] {
			if dep, ours := strings.CutPrefix(imp, mod+"/"); ours && !slices.Contains(may, dep) {
				t.Errorf("%s must not import %s", pkg, dep)
			}
		}
	}
}
