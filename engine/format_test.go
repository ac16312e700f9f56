package engine_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/graph/edit"
)

// documents are the graphs of the examples and of the tests, by path.
func documents(t testing.TB) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, dir := range []string{"../examples", "../testdata/graphs", "../testdata/err", "../testdata/slips"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if ext := filepath.Ext(path); err != nil || d.IsDir() || ext != ".yaml" && ext != ".json" {
				return err
			}
			b, err := os.ReadFile(path)
			texts[path] = string(b)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// The canonical form of every graph without faults of syntax is that of itself, and
// compiles to the same.
func TestFormatKeepsEveryGraph(t *testing.T) {
	formatted := 0
	for path, text := range documents(t) {
		if doc, found := graph.Parse(path, text); doc == nil || found.HasErrors() {
			continue
		}
		out, err := engine.Format(path, text, nil)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		formatted++
		if again, err := engine.Format(path, out, nil); err != nil || again != out {
			t.Errorf("%s: %v, formatted again:\n%s", path, err, edit.Diff("", out, again))
		}
		if before, after := compiled(path, text), compiled(path, out); before != after {
			t.Errorf("%s: compiles to\n%s\nformatted to\n%s", path, before, after)
		}
		example := strings.HasPrefix(path, "../examples/") && !strings.HasSuffix(path, ".test.yaml") && !strings.Contains(path, "/packs/")
		if example && out != text {
			t.Errorf("%s is not in canonical form:\n%s", path, edit.Diff("", text, out))
		}
	}
	if formatted < 50 {
		t.Errorf("%d graphs were formatted", formatted)
	}
}

// FuzzFormat formats variants of the graphs of the examples and of the tests: the canonical
// form is that of itself, and compiles to the same.
func FuzzFormat(f *testing.F) {
	for _, text := range documents(f) {
		if len(text) < 3000 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		out, err := engine.Format("g", text, nil)
		if err != nil {
			return
		}
		if again, err := engine.Format("g", out, nil); err != nil || again != out {
			t.Errorf("%q became %q, and then %q: %v", text, out, again, err)
		}
		if before, after := compiled("g", text), compiled("g", out); before != after {
			t.Errorf("%q compiles to\n%s\nand formatted to\n%s", text, before, after)
		}
	})
}

// compiled is what a text compiles to: the flows of its plans, and what is wrong.
func compiled(path, text string) string {
	doc, _ := graph.Parse(path, text)
	plans, found := engine.CompileAll(doc, engine.Env{})
	var b strings.Builder
	for _, p := range plans {
		if p != nil {
			b.WriteString(p.Flow() + "\n")
		}
	}
	codes := map[string]int{}
	for _, d := range found {
		codes[d.Code]++
	}
	for _, rule := range diag.Rules() {
		if n := codes[rule.Code]; n > 0 {
			b.WriteString(rule.Code + strings.Repeat("+", n) + "\n")
		}
	}
	return b.String()
}
