//go:build additions

package adding

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An addition is what a contributor writes to add one thing.
type addition struct {
	name  string
	files int // by hand, at most
	edits []edit
}

// An edit writes a text into a file in front of a line that begins with before; without
// one, the text is the whole file.
type edit struct{ file, before, text string }

func additions(t *testing.T) []addition {
	read := func(name string) string {
		b, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	tally := strings.NewReplacer("count", "tally", "Count", "Tally").Replace // the guide uses the word count for other things
	inEngine := strings.NewReplacer("package adding", "package engine", "engine.", "", "\t\"github.com/patchbay-mcp/patchbay/engine\"\n", "")
	return []addition{
		{"a node type", 1, []edit{{"engine/kind_tally.go", "", tally(inEngine.Replace(read("kind_count_test.go")))}}},
		{"the fixture of its rule", 1, []edit{{"testdata/err/tally-of-scalar.yaml", "", tally(read("testdata/count-of-scalar.yaml"))}}},
		{"a function of expressions", 2, []edit{
			{"jsonata/functions.go", "\t{\n\t\tName: \"lines\"", "\t" + `{Name: "monogram", Args: "text", Signature: "<s-:s>", Doc: "the first letters of the words of the text", Area: AreaText, Result: ResultString, Cost: CostCounted, Own: true, call: callMonogram,
		Examples: ` + "`$monogram(\"ann bee\") → \"ab\" · $monogram(\"\") → \"\" · $monogram(nothing) → undefined`" + `},` + "\n"},
			{"jsonata/functions.go", "// signed reads", `func callMonogram(e *Evaluator, args []any) any {
	s, ok := args[0].(string)
	if !ok {
		return nil
	}
	e.steps(len(s))
	out, before := "", ' '
	for _, r := range s {
		if r != ' ' && before == ' ' {
			out += string(r)
		}
		before = r
	}
	return out
}

`},
			{"jsonata/functions_monogram_test.go", "", `package jsonata

import (
	"context"
	"testing"
)

func TestMonogram(t *testing.T) {
	for text, want := range map[string]any{"$monogram('ann bee')": "ab", "$monogram('')": "", "$monogram(nothing)": nil} {
		e, err := Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := e.Eval(context.Background(), nil); err != nil || got != want {
			t.Errorf("%s is %v, %v", text, got, err)
		}
	}
}
`},
		}},
		{"an operation", 3, []edit{
			{"internal/app/count_runs.go", "", strings.Replace(read("../../internal/app/operation_countruns_test.go"), `Tool: "count_runs", Title: "Count runs", `, "", 1)}, // a further tool is a decision: their list has a bound
			{"internal/app/operations.go", "\t\tdefine(Operation{\n\t\t\tCommand: \"runs prune\"", "\t\tcountRuns,\n"},
			{"operations.go", "// PruneRuns deletes", `// CountRuns counts runs by status.
func (a *App) CountRuns(ctx context.Context, in CountRunsInput) (*CountRunsResult, error) {
	return result(a.app.CountRuns(operator(ctx), in))
}

`},
			{"operations.go", "\t\"github.com/patchbay-mcp/patchbay/internal/around\"", "\t\"github.com/patchbay-mcp/patchbay/internal/app\"\n"},
			{"operations.go", "\tRunsInput ", "\tCountRunsInput = app.CountRunsInput\n\tCountRunsResult = app.CountRunsResult\n"},
		}},
		{"a flag", 1, []edit{{"internal/execution/prune.go", "\tAllProjects bool", "\tDryRun bool `json:\"dry_run,omitempty\" jsonschema:\"only count what would be deleted\"`\n"}}},
		{"a setting", 3, []edit{
			{"internal/config/limits.go", "\tMaxRuns ", "\tMaxSavedGraphs int\n"},
			{"internal/config/limits.go", "\t{\n\t\t\"maxRuns\"", `	{
		"maxSavedGraphs", needsTrust, "Saved graphs of the project. Further ones are refused.", "1000",
		number(1, 1_000_000, func(c *Config, n int64) { c.Limits.MaxSavedGraphs = int(n) }),
	},
`},
			{"internal/execution/prune.go", "// PruneInput says", "// SavedGraphLimit returns how many graphs may be saved.\nfunc (ex *Execution) SavedGraphLimit() int { return ex.process.Config().Limits.MaxSavedGraphs }\n\n"},
			{"internal/app/saved_limit_test.go", "", "package app_test\n\nimport \"testing\"\n\nfunc TestSavedGraphLimit(t *testing.T) {\n\tif got := product(t).SavedGraphLimit(); got != 0 {\n\t\tt.Error(got)\n\t}\n}\n"},
		}},
		{"a fault", 1, []edit{{"internal/execution/prune.go", "// PruneInput says", "var codeNothingOld = diag.DefineFault(\"nothing-old\", diag.RefusesRequest, \"no run is old\", \"wait\")\n\n"}}},
	}
}

// TestAdditions makes each addition of docs/adding.md in a copy of the repository, by no
// more files than the page says, regenerates what is derived, and runs the tests that
// compare the parts of the program with each other.
func TestAdditions(t *testing.T) {
	dir := t.TempDir()
	copyRepository(t, dir)
	edit{"internal/app/operation_countruns_test.go", "", "package app\n"}.apply(t, dir) // the operation moves into the program
	command(t, dir, "git", "init", "-q")
	command(t, dir, "git", "add", "-A")
	command(t, dir, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "before")
	written := map[string]bool{}
	for _, a := range additions(t) {
		files := map[string]bool{}
		for _, e := range a.edits {
			files[e.file], written[e.file] = true, true
			e.apply(t, dir)
		}
		if len(files) > a.files {
			t.Errorf("%s takes %d files by hand, expected at most %d", a.name, len(files), a.files)
		}
	}
	command(t, dir, "gofmt", "-w", "operations.go", "internal/app", "internal/execution", "internal/config", "jsonata", "engine")
	command(t, dir, "make", "-s", "generate")
	changed := strings.Fields(command(t, dir, "git", "-c", "core.quotePath=false", "diff", "--name-only"))
	for _, name := range changed {
		switch {
		case written[name]:
		case strings.HasPrefix(name, "testdata/err/"):
			if changes := command(t, dir, "git", "diff", "-U0", name); strings.Count(changes, "\n+") != strings.Count(changes, "hint: the types are ")/2+1 {
				t.Errorf("the golden file of another rule has changed, and not in a list of all types: %s", changes)
			}
		case !strings.HasPrefix(name, "docs/") && !strings.Contains(name, "testdata/") && !strings.HasSuffix(name, ".json"):
			t.Errorf("%s is generated", name)
		}
	}
	command(t, dir, "go", "test", "-short", "-vet=off", ".", "./catalog", "./diag", "./engine", "./expr", "./jsonata", "./internal/app", "./internal/config", "./tools/gendocs", "./internal/cli/schemas")
}

func (e edit) apply(t *testing.T, dir string) {
	path := filepath.Join(dir, filepath.FromSlash(e.file))
	text := e.text
	if e.before != "" {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		at := strings.Index(string(b), "\n"+e.before)
		if at < 0 {
			t.Fatalf("%s has no line that begins with %q", e.file, e.before)
		}
		text = string(b[:at+1]) + e.text + string(b[at+1:])
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// copyRepository copies what is under version control and what may be.
func copyRepository(t *testing.T, dir string) {
	root := filepath.Join("..", "..")
	left := []string{".git", "node_modules", "build", "dist", "patchbay"}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		inUI := strings.HasPrefix(rel, "ui") && d.Name() == "dist"
		switch {
		case rel != "." && slices.Contains(left, d.Name()) && !inUI && rel != filepath.Join("cmd", "patchbay"):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(filepath.Join(dir, rel), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, rel), b, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "PATCHBAY_TEST_DATA=")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
