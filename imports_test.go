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
	".":                            {"diag", "engine", "expr", "internal/app", "internal/around", "internal/around/hooks", "internal/author", "internal/cli", "internal/config", "internal/discover", "internal/execution", "internal/library", "internal/plans", "internal/request", "internal/secrets", "internal/servers", "internal/servers/downstream", "mcpserver", "run"},
	"catalog":                      {"diag", "search", "specs"},
	"cmd/patchbay":                 {".", "internal/sys/startup"},
	"diag":                         {},
	"engine":                       {"diag", "expr", "graph", "internal/regex", "internal/servers/listing", "internal/sys/admission", "internal/sys/cache", "internal/sys/lists", "internal/sys/plainjson", "internal/sys/timelimit", "jsonata", "run", "schema", "specs", "types"},
	"engine/local":                 {"diag", "engine", "expr", "internal/sys/admission", "internal/sys/timelimit", "run", "schema"},
	"expr":                         {"diag", "internal/sys/admission", "jsonata", "types"},
	"graph":                        {"diag", "expr", "internal/sys/lists"},
	"graph/edit":                   {"diag", "graph"},
	"graphql":                      {"diag", "internal/servers/apis", "internal/sys/lists"},
	"internal/app":                 {"catalog", "diag", "engine", "graph", "internal/around", "internal/author", "internal/config", "internal/discover", "internal/discover/idioms", "internal/execution", "internal/execution/runs", "internal/library", "internal/library/graphfiles", "internal/packs", "internal/plans", "internal/policy", "internal/policy/access", "internal/process", "internal/secrets", "internal/servers", "internal/servers/downstream", "internal/servers/egress", "internal/servers/tooldef", "internal/servers/workspace", "internal/store/journal", "internal/store/observed", "internal/sys/audit", "internal/sys/lists", "internal/sys/telemetry", "run", "specs"},
	"internal/app/arguments":       {"diag", "graph/edit", "internal/app", "internal/execution", "internal/plans", "internal/servers/messages", "internal/sys/plainjson"},
	"internal/around":              {"diag", "engine", "expr", "graph", "graph/edit", "internal/around/flowjson", "internal/around/hooks", "internal/config", "internal/execution", "internal/execution/runs", "internal/library/graphfiles", "internal/plans", "internal/policy", "internal/process", "internal/request", "internal/servers", "internal/servers/downstream", "internal/servers/messages", "internal/sys/cache", "internal/sys/files", "internal/sys/lists", "internal/sys/plainjson", "run"},
	"internal/around/flowjson":     {"diag", "graph"},
	"internal/around/hooks":        {"internal/sys/child"},
	"internal/author":              {"catalog", "diag", "engine", "engine/local", "expr", "graph", "graph/edit", "internal/author/clientcode", "internal/author/drafting", "internal/discover", "internal/execution", "internal/plans", "internal/process", "internal/reply", "internal/request", "internal/sys/lists", "jsonata", "run", "schema", "specs"},
	"internal/author/clientcode":   {"diag", "internal/sys/lists", "internal/sys/plainjson", "schema", "specs"},
	"internal/author/codein":       {"diag", "engine", "graph", "jsonata", "run", "schema", "specs", "types"},
	"internal/author/drafting":     {"expr", "graph", "internal/sys/lists", "schema", "types"},
	"internal/cli":                 {"diag", "engine", "graph", "graph/edit", "internal/app", "internal/around", "internal/author", "internal/author/codein", "internal/cli/command", "internal/cli/schemas", "internal/cli/setup", "internal/cli/term", "internal/config", "internal/discover", "internal/execution", "internal/httpd", "internal/httpd/inbound", "internal/httpd/issuer", "internal/httpd/web", "internal/library", "internal/packs", "internal/plans", "internal/policy/access", "internal/reply", "internal/request", "internal/secrets", "internal/servers", "internal/servers/downstream", "internal/servers/serverfile", "internal/sys/files", "internal/sys/lists", "internal/sys/telemetry", "mcpserver", "mcpserver/stdio", "run", "specs", "ui"},
	"internal/cli/command":         {"diag", "engine", "expr", "graph", "internal/app", "internal/author", "internal/author/codein", "internal/cli/term", "internal/config", "internal/execution", "internal/library/graphfiles", "internal/packs", "internal/plans", "internal/request", "internal/secrets", "internal/servers/downstream", "internal/servers/tooldef", "internal/sys/files", "internal/sys/formats", "internal/sys/lists", "internal/sys/plainjson", "run", "schema", "specs"},
	"internal/cli/schemas":         {"diag", "engine", "internal/config", "internal/execution", "internal/packs", "internal/sys/lists"},
	"internal/cli/setup":           {"diag", "engine", "graph", "graphql", "internal/app", "internal/cli/command", "internal/cli/term", "internal/config", "internal/discover", "internal/execution", "internal/httpd", "internal/library", "internal/library/graphfiles", "internal/library/graphsource", "internal/packs", "internal/plans", "internal/policy/access", "internal/policy/permissions", "internal/secrets", "internal/servers", "internal/servers/apis", "internal/servers/downstream", "internal/servers/egress", "internal/servers/serverfile", "internal/servers/tooldef", "internal/sys/files", "internal/sys/formats", "internal/sys/lists", "mcpserver", "mcpserver/stdio", "openapi", "run"},
	"internal/cli/term":            {"diag", "internal/secrets", "run"},
	"internal/config":              {"diag", "graph", "graphql", "internal/execution/schedules", "internal/library/graphfiles", "internal/secrets", "internal/servers/apis", "internal/servers/egress", "internal/servers/models", "internal/sys/audit", "internal/sys/files", "internal/sys/formats", "internal/sys/lists", "openapi", "run"},
	"internal/discover":            {"catalog", "diag", "engine", "expr", "graph", "internal/author/drafting", "internal/config", "internal/discover/connect", "internal/discover/embeddings", "internal/discover/idioms", "internal/plans", "internal/process", "internal/reply", "internal/request", "internal/servers", "internal/servers/downstream", "internal/servers/egress", "internal/store/observed", "internal/sys/cache", "internal/sys/lists", "jsonata", "run", "search", "specs"},
	"internal/discover/connect":    {"diag", "internal/author/drafting", "internal/sys/lists", "schema", "search", "specs", "types"},
	"internal/discover/embeddings": {"diag", "internal/sys/cache", "specs"},
	"internal/discover/idioms":     {"internal/sys/lists", "specs"},
	"internal/execution":           {"catalog", "diag", "engine", "engine/local", "expr", "graph", "internal/config", "internal/discover", "internal/execution/runs", "internal/execution/schedules", "internal/library/graphfiles", "internal/plans", "internal/policy", "internal/process", "internal/reply", "internal/request", "internal/servers", "internal/servers/downstream", "internal/servers/egress", "internal/servers/tooldef", "internal/servers/transport", "internal/store/journal", "internal/store/observed", "internal/sys/admission", "internal/sys/audit", "internal/sys/cache", "internal/sys/files", "jsonata", "run", "schema", "specs"},
	"internal/execution/runs":      {"diag", "engine", "engine/local", "internal/sys/admission", "internal/sys/timelimit", "run"},
	"internal/execution/schedules": {"internal/sys/cron", "run"},
	"internal/httpd":               {"diag", "internal/policy/access"},
	"internal/httpd/inbound":       {"diag", "internal/app", "internal/execution", "internal/httpd", "internal/policy/access", "internal/request", "internal/sys/plainjson", "run", "schema"},
	"internal/httpd/issuer":        {"internal/policy/access"},
	"internal/httpd/web":           {"diag", "graph", "internal/app", "internal/execution", "internal/httpd", "internal/library", "internal/plans", "internal/policy/access", "internal/request", "internal/sys/files", "mcpserver", "run"},
	"internal/library":             {"catalog", "diag", "engine", "engine/local", "expr", "graph", "graph/edit", "internal/author", "internal/author/codein", "internal/author/drafting", "internal/config", "internal/discover", "internal/discover/connect", "internal/execution", "internal/library/graphfiles", "internal/plans", "internal/policy", "internal/process", "internal/reply", "internal/request", "internal/servers", "internal/servers/tooldef", "internal/sys/lists", "run", "schema", "search", "specs", "types"},
	"internal/library/graphfiles":  {"diag", "graph", "internal/sys/files", "internal/sys/formats", "internal/sys/lists"},
	"internal/library/graphsource": {"diag", "internal/sys/files"},
	"internal/packs":               {"diag", "graph", "internal/sys/files", "internal/sys/plainjson", "schema", "specs"},
	"internal/plans":               {"catalog", "diag", "engine", "graph", "internal/author/codein", "internal/config", "internal/library/graphfiles", "internal/policy", "internal/policy/access", "internal/process", "internal/reply", "internal/request", "internal/servers", "internal/servers/downstream", "internal/servers/listing", "internal/servers/serverfile", "internal/servers/tooldef", "internal/store/observed", "internal/sys/cache", "internal/sys/files", "jsonata", "run", "schema", "search", "specs"},
	"internal/policy":              {"diag", "internal/config", "internal/library/graphfiles", "internal/policy/access", "internal/policy/permissions", "internal/process", "internal/request", "internal/servers/downstream", "internal/servers/tooldef", "run"},
	"internal/policy/access":       {"diag", "internal/config", "internal/sys/files", "internal/sys/formats", "internal/sys/lists"},
	"internal/policy/permissions":  {"internal/sys/formats", "run"},
	"internal/process":             {"catalog", "diag", "internal/config", "internal/request", "internal/sys/admission", "internal/sys/cache"},
	"internal/regex":               {},
	"internal/reply":               {"diag", "engine", "expr", "internal/author/drafting", "internal/store/observed", "internal/sys/lists", "internal/sys/plainjson", "run", "schema", "specs"},
	"internal/request":             {"internal/execution/runs", "internal/policy/access", "internal/servers/transport", "run"},
	"internal/secrets":             {},
	"internal/servers":             {"diag", "graph", "graph/edit", "graphql", "internal/config", "internal/execution/runs", "internal/policy", "internal/reply", "internal/servers/apis", "internal/servers/downstream", "internal/servers/egress", "internal/servers/listing", "internal/servers/models", "internal/servers/tooldef", "internal/servers/transport", "internal/sys/cache", "internal/sys/lists", "openapi", "run", "schema"},
	"internal/servers/apis":        {"diag", "internal/servers/listing", "internal/sys/files", "internal/sys/timelimit", "schema"},
	"internal/servers/downstream":  {"diag", "internal/servers/apis", "internal/servers/tooldef", "internal/servers/transport", "internal/sys/admission", "internal/sys/child", "internal/sys/files", "internal/sys/formats", "internal/sys/lists", "internal/sys/plainjson", "internal/sys/timelimit", "run", "schema"},
	"internal/servers/egress":      {"diag", "internal/secrets", "internal/servers/apis", "internal/sys/lists", "run"},
	"internal/servers/listing":     {"diag", "internal/regex", "internal/servers/messages", "schema"},
	"internal/servers/messages":    {"internal/sys/plainjson"},
	"internal/servers/models":      {"diag", "internal/servers/apis", "internal/sys/timelimit", "run"},
	"internal/servers/serverfile":  {"diag", "graph", "graph/edit", "internal/config", "internal/library/graphfiles", "internal/secrets", "internal/servers/apis", "internal/sys/files", "internal/sys/lists"},
	"internal/servers/tooldef":     {"diag", "internal/servers/apis", "internal/sys/files", "internal/sys/formats", "internal/sys/plainjson", "schema", "specs"},
	"internal/servers/transport":   {"diag", "internal/servers/messages", "internal/servers/tooldef", "internal/sys/files", "schema"},
	"internal/servers/workspace":   {"internal/sys/files", "internal/sys/lists"},
	"internal/store/graphstate":    {"diag", "internal/sys/lists", "run"},
	"internal/store/journal":       {"diag", "expr", "internal/store/graphstate", "internal/sys/cache", "internal/sys/files", "internal/sys/formats", "internal/sys/lists", "run"},
	"internal/store/observed":      {"expr", "internal/sys/files", "internal/sys/formats", "run", "schema", "specs", "types"},
	"internal/sys/admission":       {},
	"internal/sys/audit":           {"internal/sys/files"},
	"internal/sys/cache":           {},
	"internal/sys/child":           {},
	"internal/sys/cron":            {},
	"internal/sys/files":           {},
	"internal/sys/formats":         {"internal/sys/files"},
	"internal/sys/plainjson":       {},
	"internal/sys/lists":           {},
	"internal/sys/startup":         {},
	"internal/sys/telemetry":       {"diag", "internal/sys/lists", "internal/sys/timelimit"},
	"internal/sys/timelimit":       {},
	"internal/tests/conformance":   {},
	"internal/tests/golden":        {},
	"internal/tests/graphdata":     {"graph"},
	"internal/tests/graphqltest":   {},
	"internal/tests/linear":        {},
	"internal/tests/modeltest":     {},
	"internal/tests/searchdata":    {"specs"},
	"internal/tests/spectest":      {"schema", "specs"},
	"internal/tests/testenv":       {"diag"},
	"internal/tests/tokens":        {},
	"jsonata":                      {"diag", "internal/regex", "types"},
	"mcpserver":                    {"diag", "engine", "internal/app", "internal/app/arguments", "internal/author", "internal/discover", "internal/discover/idioms", "internal/execution", "internal/httpd", "internal/library", "internal/plans", "internal/policy", "internal/policy/access", "internal/reply", "internal/request", "internal/servers", "internal/servers/listing", "internal/servers/messages", "internal/sys/cache", "internal/sys/lists", "internal/sys/plainjson", "run", "schema", "specs"},
	"mcpserver/stdio":              {"internal/servers/messages"},
	"openapi":                      {"diag", "internal/servers/apis", "internal/servers/listing", "internal/sys/files"},
	"run":                          {"diag", "expr", "internal/sys/lists", "schema"},
	"schema":                       {"diag", "internal/regex", "internal/sys/cache", "internal/sys/plainjson", "specs", "types"},
	"search":                       {"diag", "schema", "specs"},
	"specs":                        {"internal/sys/cron"},
	"tools/adding":                 {},
	"tools/authoring":              {".", "graph", "internal/tests/tokens", "tools/value/sample"},
	"tools/crosscheck":             {},
	"tools/exact":                  {},
	"tools/exact/graphs":           {"engine", "internal/author/codein"},
	"tools/gendocs":                {"diag", "engine", "expr", "graph", "internal/app", "internal/app/arguments", "internal/cli", "internal/cli/command", "internal/cli/schemas", "internal/config", "internal/discover", "internal/discover/idioms", "internal/execution", "internal/execution/runs", "internal/httpd", "internal/plans", "internal/servers/downstream", "internal/servers/egress", "internal/servers/transport", "internal/store/journal", "internal/sys/admission", "internal/sys/files", "jsonata", "mcpserver", "run", "schema", "specs"},
	"tools/hostile":                {},
	"tools/outages":                {},
	"tools/packaging":              {"internal/app", "internal/cli", "internal/cli/command"},
	"tools/protocol":               {},
	"tools/searcheval":             {"search", "specs", "tools/searcheval/evalset"},
	"tools/searcheval/evalset":     {"specs"},
	"tools/size":                   {},
	"tools/torture":                {},
	"tools/value":                  {".", "internal/author/clientcode", "internal/tests/tokens", "tools/value/sample"},
	"tools/value/sample":           {},
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
			inProse := parent == "." && slices.Contains([]string{"cmd", "internal", "tools", "examples", "testdata", "packaging", "docs"}, d.Name())
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
