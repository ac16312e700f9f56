package patchbay_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers says which of our packages each package may import. It is the
// architecture, and this test keeps it true.
var layers = map[string][]string{
	".":                            {"diag", "engine", "expr", "internal/app", "internal/cli", "internal/config", "internal/servers/downstream", "internal/around/hooks", "internal/secrets", "mcpserver", "run"},
	"bench/live":                   {".", "graph", "internal/tests/tokens", "tools/value/sample"},
	"catalog":                      {"diag", "search", "specs"},
	"cmd/patchbay":                 {".", "internal/sys/startup"},
	"diag":                         {},
	"engine":                       {"diag", "expr", "graph", "internal/servers/listing", "internal/sys/admission", "internal/regex", "internal/sys/cache", "internal/sys/timelimit", "jsonata", "run", "schema", "specs", "types"},
	"engine/local":                 {"diag", "engine", "expr", "internal/sys/admission", "internal/sys/timelimit", "run", "schema"},
	"expr":                         {"diag", "internal/sys/admission", "jsonata", "types"},
	"graph":                        {"diag", "expr"},
	"graphql":                      {"diag", "internal/servers/apis"},
	"internal/policy/access":       {"diag", "internal/config", "internal/sys/files", "internal/sys/formats"},
	"tools/adding":                 {},
	"internal/sys/admission":       {},
	"internal/sys/audit":           {"internal/sys/files"},
	"internal/servers/apis":        {"diag", "internal/servers/listing", "internal/sys/files", "internal/sys/timelimit", "schema"},
	"internal/policy/permissions":  {"internal/sys/formats", "run"},
	"internal/app":                 {"catalog", "diag", "engine", "engine/local", "expr", "graph", "graphql", "internal/policy/access", "internal/sys/admission", "internal/sys/audit", "internal/sys/cache", "internal/author/clientcode", "internal/config", "internal/servers/downstream", "internal/author/drafting", "internal/servers/apis", "internal/servers/egress", "internal/servers/listing", "internal/discover/connect", "internal/discover/embeddings", "internal/sys/files", "internal/around/flowjson", "internal/library/graphfiles", "internal/around/hooks", "internal/discover/idioms", "internal/store/journal", "internal/store/observed", "internal/packs", "internal/policy/permissions", "internal/regex", "internal/execution/runs", "internal/execution/schedules", "internal/secrets", "internal/sys/telemetry", "internal/servers/workspace", "jsonata", "openapi", "run", "schema", "search", "specs", "types"},
	"internal/sys/cache":           {},
	"internal/sys/child":           {},
	"internal/sys/cron":            {},
	"internal/cli":                 {"diag", "engine", "expr", "graph", "graphql", "internal/policy/access", "internal/servers/apis", "internal/app", "internal/config", "internal/servers/downstream", "internal/servers/egress", "internal/sys/files", "internal/sys/formats", "internal/library/graphfiles", "internal/library/graphsource", "internal/httpd/issuer", "internal/packs", "internal/policy/permissions", "internal/cli/schemas", "internal/secrets", "internal/servers/serverfile", "internal/sys/telemetry", "internal/httpd/web", "mcpserver", "openapi", "run", "schema", "specs", "ui"},
	"internal/author/clientcode":   {"diag", "schema", "specs"},
	"internal/config":              {"diag", "graph", "graphql", "internal/servers/apis", "internal/sys/audit", "internal/servers/egress", "internal/sys/files", "internal/sys/formats", "internal/library/graphfiles", "internal/execution/schedules", "internal/secrets", "openapi", "run"},
	"internal/tests/conformance":   {},
	"internal/servers/downstream":  {"diag", "internal/sys/admission", "internal/servers/apis", "internal/sys/child", "internal/sys/files", "internal/sys/formats", "internal/servers/messages", "internal/sys/timelimit", "run", "schema", "specs"},
	"internal/author/drafting":     {"expr", "graph", "schema", "types"},
	"internal/servers/egress":      {"diag", "internal/secrets", "internal/servers/apis", "run"},
	"internal/discover/connect":    {"diag", "internal/author/drafting", "schema", "search", "specs", "types"},
	"internal/discover/embeddings": {"diag", "internal/sys/cache", "specs"},
	"tools/exact":                  {},
	"tools/exact/graphs":           {},
	"internal/sys/files":           {},
	"internal/around/flowjson":     {"diag", "graph"},
	"internal/sys/formats":         {"internal/sys/files"},
	"tools/gendocs":                {"diag", "engine", "expr", "graph", "internal/sys/admission", "internal/app", "internal/cli", "internal/config", "internal/servers/downstream", "internal/servers/egress", "internal/sys/files", "internal/discover/idioms", "internal/store/journal", "internal/execution/runs", "internal/cli/schemas", "jsonata", "mcpserver", "run", "schema", "specs"},
	"internal/tests/golden":        {},
	"internal/tests/graphdata":     {"graph"},
	"internal/tests/graphqltest":   {},
	"internal/library/graphfiles":  {"diag", "graph", "internal/sys/files", "internal/sys/formats"},
	"internal/store/graphstate":    {"diag", "run"},
	"internal/library/graphsource": {"diag", "internal/sys/files"},
	"internal/around/hooks":        {"internal/sys/child"},
	"tools/hostile":                {},
	"internal/httpd/issuer":        {"internal/policy/access"},
	"internal/store/journal":       {"diag", "expr", "internal/sys/cache", "internal/sys/files", "internal/sys/formats", "internal/store/graphstate", "run"},
	"internal/discover/idioms":     {"specs"},
	"internal/tests/linear":        {},
	"internal/servers/listing":     {"diag", "internal/regex", "internal/servers/messages", "schema"},
	"internal/servers/messages":    {},
	"internal/store/observed":      {"expr", "internal/sys/files", "internal/sys/formats", "run", "schema", "specs", "types"},
	"tools/outages":                {},
	"tools/packaging":              {"internal/app", "internal/cli"},
	"internal/packs":               {"diag", "graph", "internal/sys/files", "schema", "specs"},
	"tools/protocol":               {},
	"internal/regex":               {},
	"internal/execution/runs":      {"diag", "engine", "engine/local", "internal/sys/admission", "internal/sys/timelimit", "run"},
	"internal/cli/schemas":         {"diag", "engine", "internal/app", "internal/config", "internal/packs"},
	"internal/execution/schedules": {"internal/sys/cron", "run"},
	"internal/tests/searchdata":    {"specs"},
	"tools/searcheval":             {"tools/searcheval/evalset", "search", "specs"},
	"tools/searcheval/evalset":     {"specs"},
	"internal/secrets":             {},
	"internal/servers/serverfile":  {"internal/servers/apis", "diag", "graph", "internal/config", "internal/sys/files", "internal/secrets"},
	"tools/size":                   {},
	"internal/sys/startup":         {},
	"internal/sys/telemetry":       {"diag"},
	"internal/tests/testenv":       {"diag"},
	"internal/sys/timelimit":       {},
	"internal/tests/tokens":        {},
	"tools/value":                  {".", "internal/author/clientcode", "internal/tests/tokens", "tools/value/sample"},
	"tools/value/sample":           {},
	"tools/torture":                {},
	"internal/httpd/web":           {"diag", "graph", "internal/policy/access", "internal/app", "internal/sys/files", "mcpserver", "run"},
	"internal/servers/workspace":   {"internal/sys/files"},
	"jsonata":                      {"diag", "internal/regex", "types"},
	"mcpserver":                    {"diag", "engine", "graph", "internal/policy/access", "internal/app", "internal/sys/cache", "internal/discover/idioms", "internal/servers/listing", "internal/servers/messages", "run", "schema", "specs"},
	"openapi":                      {"diag", "internal/servers/apis", "internal/servers/listing", "internal/sys/files"},
	"run":                          {"diag", "expr", "schema"},
	"schema":                       {"diag", "internal/regex", "internal/sys/cache", "specs", "types"},
	"search":                       {"diag", "schema", "specs"},
	"specs":                        {"internal/sys/cron"},
	"types":                        {"diag"},
	"ui":                           {},
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
			dep, ours := strings.CutPrefix(imp, mod+"/")
			if imp == mod {
				dep, ours = ".", true
			}
			if strings.Contains(imp, "gnata") || strings.Contains(imp, "blues/jsonata-go") {
				t.Errorf("%s must not import %s: other evaluators are compared with in tests only", pkg, imp)
			}
			if strings.HasPrefix(imp, "go.temporal.io/") {
				t.Errorf("%s must not import %s: what runs graphs on Temporal is the module in temporal", pkg, imp)
			}
			if ours && !slices.Contains(may, dep) {
				t.Errorf("%s must not import %s", pkg, dep)
			}
		}
	}
}

// TestMap compares doc.go, the map of the product, with the folders that there are.
func TestMap(t *testing.T) {
	b, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	if n := strings.Count(page, "\n"); n > 60 {
		t.Errorf("doc.go has %d lines, expected at most 60", n)
	}
	named := map[string]bool{}
	for line := range strings.Lines(page) {
		if list, ok := strings.CutPrefix(line, "//   - "); ok {
			list, _, _ = strings.Cut(list, ":")
			for name := range strings.SplitSeq(list, ", ") {
				named[name] = true
			}
		}
	}
	for _, parent := range []string{".", "internal"} {
		list, err := os.ReadDir(parent)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			holds := slices.ContainsFunc([]string{"*.go", "*/*.go", "*/*/*.go"}, func(pattern string) bool {
				found, _ := filepath.Glob(filepath.Join(parent, d.Name(), pattern))
				return len(found) > 0
			})
			inProse := parent == "." && slices.Contains([]string{"cmd", "internal", "tools", "bench", "examples", "testdata", "packaging", "docs"}, d.Name())
			if d.IsDir() && holds && !inProse && !named[d.Name()] {
				t.Errorf("doc.go does not name %s", filepath.Join(parent, d.Name()))
			}
			delete(named, d.Name())
		}
	}
	for name := range named {
		t.Errorf("doc.go names %s, which is no folder", name)
	}
}
