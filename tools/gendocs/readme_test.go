package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/cli"
)

// TestFaultOfReadme makes the mistake of README.md in its graph, and compares the fault
// that it shows with what is printed.
func TestFaultOfReadme(t *testing.T) {
	path := filepath.Join(repository, "README.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var fault, graph string
	for _, f := range fencesOf(path, string(page)) {
		switch {
		case f.language == "text" && fault == "":
			fault = f.text
		case f.language == "yaml" && graph == "":
			graph = strings.Replace(f.text, "{path:", "{pth:", 1)
		}
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("count_files.yaml", []byte(graph), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := cli.Execute(t.Context(), []string{"validate", "count_files.yaml"}, strings.NewReader(""), &out, &errs); code != 1 || strings.TrimSpace(out.String()) != strings.TrimSpace(fault) {
		t.Errorf("exit %d, and validate prints\n%s%s\nREADME.md shows\n%s", code, out.String(), errs.String(), fault)
	}
}
