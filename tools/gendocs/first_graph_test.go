package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/cli"
)

// TestFirstGraph does what docs/first-graph.md tells its reader to do, and compares
// what the page shows with what is printed.
func TestFirstGraph(t *testing.T) {
	path := filepath.Join(repository, referenceDir, "first-graph.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var texts, graphs, commands []string
	for _, f := range fencesOf(path, string(page)) {
		switch f.language {
		case "text":
			texts = append(texts, f.text)
		case "yaml":
			graphs = append(graphs, f.text)
		case "sh":
			commands = append(commands, slices.Collect(strings.Lines(f.text))...)
		}
	}
	t.Chdir(t.TempDir())
	for _, variable := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		t.Setenv(variable, t.TempDir())
	}
	const file = "count_todos.yaml"
	if err := os.Mkdir("log", 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"notes.txt": "TODO write\ndone\nTODO test\n", file: texts[1], "log/monday.txt": "rain\n", "log/tuesday.txt": "sun\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	shown := map[string]string{"search": texts[0], "validate": texts[2], "graphs": texts[3], "run": `{"todos":2}`}
	for _, line := range commands {
		words := strings.Fields(line)
		if words[0] != "patchbay" {
			continue
		}
		var out, errs bytes.Buffer
		code := cli.Execute(t.Context(), words[1:], strings.NewReader(""), &out, &errs)
		want := shown[words[1]]
		delete(shown, words[1])
		if slices.Contains(words, "--last") {
			want = graphs[1]
		}
		if faulty := words[1] == "validate" && words[2] != "--fix"; (code != 0) != faulty || !strings.Contains(out.String()+errs.String(), want) {
			t.Errorf("%s prints\n%s%s\nand the page shows\n%s", line, out.String(), errs.String(), want)
		}
	}
	if len(shown) > 0 {
		t.Errorf("the page runs none of %v", shown)
	}
	if fixed, err := os.ReadFile(file); err != nil || string(fixed) != graphs[0] {
		t.Errorf("%v: the file is\n%s", err, fixed)
	}
}
