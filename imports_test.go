package patchbay_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layers says which of our packages each package may import. It is the
// architecture, and this test keeps it true.
var layers = map[string][]string{
	".":                           {"diag", "engine", "expr", "internal/app", "internal/cli", "internal/config", "internal/downstream", "internal/hooks", "internal/secrets", "mcpserver", "run"},
	"bench/live":                  {".", "graph", "internal/tokens", "internal/value/sample"},
	"catalog":                     {"diag", "search", "specs"},
	"cmd/patchbay":                {".", "internal/startup"},
	"diag":                        {},
	"engine":                      {"diag", "expr", "graph", "internal/admission", "internal/regex", "internal/cache", "jsonata", "run", "schema", "specs", "types"},
	"engine/local":                {"diag", "engine", "expr", "internal/admission", "internal/timelimit", "run", "schema"},
	"expr":                        {"diag", "internal/admission", "jsonata", "types"},
	"graph":                       {"diag", "jsonata"},
	"graphql":                     {"diag", "internal/apis"},
	"internal/access":             {"diag", "internal/config", "internal/files", "internal/formats"},
	"internal/adding":             {},
	"internal/admission":          {},
	"internal/audit":              {"internal/files"},
	"internal/apis":               {"diag", "internal/files"},
	"internal/permissions":        {"internal/formats", "run"},
	"internal/app":                {"catalog", "diag", "engine", "engine/local", "expr", "graph", "graphql", "internal/access", "internal/admission", "internal/audit", "internal/cache", "internal/clientcode", "internal/config", "internal/downstream", "internal/drafting", "internal/egress", "internal/embeddings", "internal/files", "internal/flowjson", "internal/graphfiles", "internal/hooks", "internal/idioms", "internal/journal", "internal/observed", "internal/packs", "internal/permissions", "internal/regex", "internal/runs", "internal/schedules", "internal/secrets", "internal/telemetry", "internal/workspace", "jsonata", "openapi", "run", "schema", "search", "specs"},
	"internal/cache":              {},
	"internal/child":              {},
	"internal/cli":                {"diag", "engine", "expr", "graph", "graphql", "internal/access", "internal/apis", "internal/app", "internal/config", "internal/downstream", "internal/egress", "internal/files", "internal/formats", "internal/graphfiles", "internal/graphsource", "internal/issuer", "internal/packs", "internal/permissions", "internal/schemas", "internal/secrets", "internal/serverfile", "internal/telemetry", "internal/web", "mcpserver", "openapi", "run", "schema", "specs", "ui"},
	"internal/clientcode":         {"diag", "schema", "specs"},
	"internal/config":             {"diag", "graph", "graphql", "internal/apis", "internal/audit", "internal/egress", "internal/files", "internal/formats", "internal/graphfiles", "internal/schedules", "internal/secrets", "openapi", "run"},
	"internal/conformance":        {},
	"internal/downstream":         {"diag", "internal/admission", "internal/apis", "internal/child", "internal/files", "internal/formats", "internal/messages", "internal/timelimit", "run", "schema", "specs"},
	"internal/drafting":           {"expr", "graph", "schema", "types"},
	"internal/egress":             {"diag", "internal/secrets", "run"},
	"internal/embeddings":         {"diag", "internal/cache", "specs"},
	"internal/exact":              {},
	"internal/exact/graphs":       {},
	"internal/files":              {},
	"internal/flowjson":           {"diag", "graph"},
	"internal/formats":            {"internal/files"},
	"internal/gendocs":            {"diag", "engine", "graph", "internal/admission", "internal/app", "internal/cli", "internal/config", "internal/downstream", "internal/egress", "internal/files", "internal/idioms", "internal/journal", "internal/runs", "internal/schemas", "jsonata", "mcpserver", "run", "schema", "specs"},
	"internal/golden":             {},
	"internal/graphdata":          {"graph"},
	"internal/graphqltest":        {},
	"internal/graphfiles":         {"diag", "graph", "internal/files", "internal/formats"},
	"internal/graphstate":         {"diag", "run"},
	"internal/graphsource":        {"diag", "internal/files"},
	"internal/hooks":              {"internal/child"},
	"internal/hostile":            {},
	"internal/issuer":             {"internal/access"},
	"internal/journal":            {"diag", "expr", "internal/files", "internal/formats", "internal/graphstate", "run"},
	"internal/idioms":             {"specs"},
	"internal/linear":             {},
	"internal/messages":           {},
	"internal/observed":           {"expr", "internal/files", "internal/formats", "run", "schema", "specs", "types"},
	"internal/outages":            {},
	"internal/packaging":          {"internal/app", "internal/cli"},
	"internal/packs":              {"diag", "graph", "internal/files", "schema", "specs"},
	"internal/protocol":           {},
	"internal/regex":              {},
	"internal/runs":               {"diag", "engine", "engine/local", "internal/admission", "internal/timelimit", "run"},
	"internal/schemas":            {"diag", "engine", "internal/app", "internal/config", "internal/packs"},
	"internal/schedules":          {"run"},
	"internal/searchdata":         {"specs"},
	"internal/searcheval":         {"internal/searcheval/evalset", "search", "specs"},
	"internal/searcheval/evalset": {"specs"},
	"internal/secrets":            {},
	"internal/serverfile":         {"internal/apis", "diag", "graph", "internal/config", "internal/files", "internal/secrets"},
	"internal/size":               {},
	"internal/startup":            {},
	"internal/telemetry":          {"diag"},
	"internal/testenv":            {"diag"},
	"internal/timelimit":          {},
	"internal/tokens":             {},
	"internal/value":              {".", "internal/clientcode", "internal/tokens", "internal/value/sample"},
	"internal/value/sample":       {},
	"internal/torture":            {},
	"internal/web":                {"diag", "graph", "internal/access", "internal/app", "internal/files", "mcpserver", "run"},
	"internal/workspace":          {"internal/files"},
	"jsonata":                     {"diag", "internal/regex", "types"},
	"mcpserver":                   {"diag", "engine", "graph", "internal/access", "internal/app", "internal/cache", "internal/idioms", "internal/messages", "run", "schema", "specs"},
	"openapi":                     {"diag", "internal/apis", "internal/files"},
	"run":                         {"diag", "expr", "schema"},
	"schema":                      {"diag", "internal/regex", "internal/cache", "specs", "types"},
	"search":                      {"diag", "schema", "specs"},
	"specs":                       {},
	"types":                       {"diag"},
	"ui":                          {},
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
