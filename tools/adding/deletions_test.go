//go:build additions

package adding

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A deletion is what is deleted for a program without a feature.
type deletion struct {
	name    string
	folders []string
	files   []string // beside the folders
	// operations are rows of internal/app/operations.go, and methods of the library.
	operations []string
	rows       []row // of other tables
}

// A row is each line of a file that has a text, with the block that it begins or ends.
type row struct{ file, text string }

var deletions = []deletion{
	{
		name: "what happens around calls", folders: []string{"internal/around"},
		files:      []string{"internal/cli/hooks.go", "internal/cli/workflow.go"},
		operations: []string{"HookModules", "HookModule", "AddHookModule", "RemoveHookModule", "Workflows", "WorkflowText", "EnableWorkflow", "DisableWorkflow", "TestWorkflows", "ImportWorkflow", "ExportWorkflow"},
		rows: []row{
			{"internal/app/app.go", "around."},
			{"internal/app/open.go", "around."},
			{"internal/cli/presenters.go", "hooksListPresenter"},
			{"internal/cli/presenters.go", "workflowListPresenter"},
			{"internal/cli/presenters.go", "workflowImportPresenter"},
			{"operations.go", "= around."},
			{"app.go", "HookWorker()"},
		},
	},
	{
		name: "APIs", folders: []string{"graphql", "openapi", "internal/tests/graphqltest"},
		files: []string{
			"internal/config/api_entry.go", "internal/config/graphql_entry.go", "internal/config/openapi_entry.go",
			"internal/servers/graphql_server.go", "internal/servers/openapi_server.go",
			"internal/cli/setup/api.go", "internal/cli/setup/graphql.go", "internal/cli/setup/openapi.go",
		},
		rows: []row{
			{"internal/config/server.go", "graphql"},
			{"internal/config/server.go", "openapi"},
			{"internal/config/settings.go", "apiSettings("},
			{"internal/servers/apis.go", "graphqlServer"},
			{"internal/servers/apis.go", "openapiServer"},
			{"internal/cli/main.go", "setup.GraphQLCommand"},
			{"internal/cli/main.go", "setup.OpenAPICommand"},
			{"tools/gendocs/settings.go", "config.GraphQLSettings"},
			{"tools/gendocs/settings.go", "config.OpenAPISettings"},
		},
	},
	{
		name: "knowledge packs", folders: []string{"internal/packs"},
		files: []string{"internal/app/packs.go", "internal/cli/setup/packs.go"},
		rows: []row{
			{"internal/app/app.go", "builtinPacks"},
			{"internal/app/open.go", "loaded"},
			{"internal/app/reload.go", "reloadPacks"},
			{"internal/cli/main.go", "setup.PacksCommand"},
			{"internal/cli/command/open.go", "range places"},
			{"internal/cli/complete_words.go", "packNames("},
			{"internal/cli/complete_words.go", "packNames,"},
			{"internal/cli/schemas/schemas.go", "packs.PackSchema"},
		},
	},
	{
		name: "graphs written as functions", folders: []string{"internal/author/codein", "tools/exact"},
		rows: []row{
			{"internal/cli/command/find.go", "codein."},
			{"internal/cli/fmt.go", "codein.Is("},
			{"internal/library/edit.go", "detached"},
			{"internal/library/get_graph.go", "codein."},
			{"internal/plans/graph_input.go", "codein.Is("},
		},
	},
	{
		name: "models", folders: []string{"internal/servers/models"},
		files:      []string{"internal/servers/asked_models.go", "internal/config/models.go", "internal/cli/models.go"},
		operations: []string{"Models", "TestModel"},
		rows: []row{
			{"internal/config/config.go", "models.Model"},
			{"internal/config/settings.go", "map of models"},
			{"internal/servers/servers.go", "models."},
			{"internal/plans/tool_resolver.go", "ModelNames"},
			{"internal/execution/runner.go", "AskModel"},
			{"internal/app/runner.go", "MaxReply"},
			{"internal/app/open.go", "SetModels"},
			{"internal/app/reload.go", "SetModels"},
			{"internal/cli/presenters.go", "modelsListPresenter"},
			{"operations.go", "= servers."},
		},
	},
}

// TestDeletions deletes each feature in a copy of the repository, with the files and the rows
// of tables that name it, and builds and vets what remains.
func TestDeletions(t *testing.T) {
	dir := t.TempDir()
	copyRepository(t, dir)
	tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, "_test.go") {
			tests = append(tests, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range tests { // those of a feature are where it is used, too
		_ = os.Remove(path)
	}
	command(t, dir, "git", "init", "-q")
	command(t, dir, "git", "add", "-A")
	command(t, dir, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "before")
	for _, d := range deletions {
		t.Run(d.name, func(t *testing.T) {
			d.apply(t, dir)
			command(t, dir, "go", "build", "./...")
			command(t, dir, "go", "vet", "./...")
			command(t, dir, "git", "reset", "-q", "--hard")
		})
	}
}

func (d *deletion) apply(t *testing.T, dir string) {
	for _, name := range slices.Concat(d.folders, d.files) {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Stat(at); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(at); err != nil {
			t.Fatal(err)
		}
	}
	rows := slices.Clone(d.rows)
	for _, name := range d.operations {
		rows = append(rows, row{"internal/app/operations.go", "(*App)." + name + "),"}, row{"operations.go", "(a *App) " + name + "("})
	}
	changed := map[string]bool{}
	for _, r := range rows {
		r.remove(t, dir)
		changed[r.file] = true
	}
	for file := range changed {
		removeImports(t, filepath.Join(dir, filepath.FromSlash(file)))
	}
}

// remove takes the row out of its file.
func (r row) remove(t *testing.T, dir string) {
	path := filepath.Join(dir, filepath.FromSlash(r.file))
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(b), "\n")
	indent := func(line string) string { return line[:len(line)-len(strings.TrimLeft(line, "\t"))] }
	gone := make([]bool, len(lines))
	found := false
	for i, line := range lines {
		text := strings.TrimSpace(line)
		if !strings.Contains(text, r.text) || strings.HasPrefix(text, "//") || strings.HasPrefix(text, `"github.com/`) {
			continue
		}
		found, gone[i] = true, true
		step := 0
		switch {
		case strings.HasPrefix(text, "}") || strings.HasPrefix(text, ")"):
			step = -1
		case strings.HasSuffix(text, "{") || strings.HasSuffix(text, "("):
			step = 1
		}
		for at := i + step; step != 0; at += step {
			gone[at] = true
			if indent(lines[at]) == indent(line) && strings.TrimSpace(lines[at]) != "" {
				break
			}
		}
	}
	if !found {
		t.Errorf("%s has no row with %q", r.file, r.text)
	}
	var kept strings.Builder
	for i, line := range lines {
		if !gone[i] {
			kept.WriteString(line)
		}
	}
	if err := os.WriteFile(path, []byte(kept.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// removeImports takes the imports out of a file that it does not need any more.
func removeImports(t *testing.T, file string) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{"_": true}
	ast.Inspect(tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
		return true
	})
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(b), "\n")
	for _, spec := range tree.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		ours := strings.HasPrefix(imported, "github.com/patchbay-mcp/") || !strings.Contains(imported, ".")
		if ours && !used[name] {
			lines[set.Position(spec.Pos()).Line-1] = ""
		}
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}
