//go:build additions

package adding

import (
	"encoding/json"
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
			{"internal/execution/saved_tests.go", "AskModel"},
			{"internal/execution/saved_tests.go", "MaxReply"},
			{"internal/app/runner.go", "MaxReply"},
			{"internal/app/open.go", "SetModels"},
			{"internal/app/reload.go", "SetModels"},
			{"internal/cli/presenters.go", "modelsListPresenter"},
			{"internal/cli/runs.go", "printModelTokens"},
			{"internal/cli/test_printer.go", "printModelTokens"},
			{"internal/cli/test_printer.go", "tokensText"},
			{"operations.go", "= servers."},
		},
	},
}

// TestDeletions builds and vets the program without each feature: without its files, the rows
// of tables that name it, and all tests.
func TestDeletions(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range deletions {
		t.Run(d.name, func(t *testing.T) {
			overlay := filepath.Join(t.TempDir(), "overlay.json")
			b, err := json.Marshal(map[string]any{"Replace": d.overlay(t, root)})
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(overlay, b, 0o600); err != nil {
				t.Fatal(err)
			}
			command(t, root, "go", "build", "-overlay", overlay, "./...")
			command(t, root, "go", "vet", "-overlay", overlay, "./...")
		})
	}
}

// overlay returns what replaces the files of the repository, "" those that are deleted.
func (d *deletion) overlay(t *testing.T, root string) map[string]string {
	files := map[string]string{}
	gone := slices.Clone(d.files)
	for _, folder := range d.folders {
		gone = append(gone, folder+"/")
	}
	unused := map[string]bool{}
	for _, name := range gone {
		unused[name] = true
	}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		if entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git") {
			return fs.SkipDir
		}
		i := slices.IndexFunc(gone, func(name string) bool {
			return rel == name || strings.HasSuffix(name, "/") && strings.HasPrefix(rel, name)
		})
		if i >= 0 {
			delete(unused, gone[i])
		}
		if strings.HasSuffix(path, ".go") && (i >= 0 || strings.HasSuffix(path, "_test.go")) {
			files[path] = ""
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range unused {
		t.Errorf("there is no %s", name)
	}
	rows := slices.Clone(d.rows)
	for _, name := range d.operations {
		rows = append(rows, row{"internal/app/operations.go", "(*App)." + name + "),"}, row{"operations.go", "(a *App) " + name + "("})
	}
	texts := map[string]string{}
	for _, r := range rows {
		if _, read := texts[r.file]; !read {
			b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(r.file)))
			if err != nil {
				t.Fatal(err)
			}
			texts[r.file] = string(b)
		}
		texts[r.file] = r.without(t, texts[r.file])
	}
	dir := t.TempDir()
	for file, text := range texts {
		path := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(path, []byte(withoutImports(t, file, text)), 0o600); err != nil {
			t.Fatal(err)
		}
		files[filepath.Join(root, filepath.FromSlash(file))] = path
	}
	return files
}

// without takes the row out of the text of its file.
func (r row) without(t *testing.T, text string) string {
	lines := strings.SplitAfter(text, "\n")
	indent := func(line string) string { return line[:len(line)-len(strings.TrimLeft(line, "\t"))] }
	gone := make([]bool, len(lines))
	found := false
	for i, line := range lines {
		words := strings.TrimSpace(line)
		if !strings.Contains(words, r.text) || strings.HasPrefix(words, "//") || strings.HasPrefix(words, `"github.com/`) {
			continue
		}
		found, gone[i] = true, true
		step := 0
		switch {
		case strings.HasPrefix(words, "}") || strings.HasPrefix(words, ")"):
			step = -1
		case strings.HasSuffix(words, "{") || strings.HasSuffix(words, "("):
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
	return kept.String()
}

// withoutImports takes the imports of the project and of the standard library out of a file
// that it does not need any more.
func withoutImports(t *testing.T, file, text string) string {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
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
	lines := strings.SplitAfter(text, "\n")
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
	return strings.Join(lines, "")
}
