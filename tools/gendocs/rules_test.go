package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/packs"
	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
)

// TestConfigurationFixtures reads the configurations of testdata/err/config: each
// archive is a folder, with the files of --mcp and of saved graphs in it, and shows
// the rule it is named after. No variable is set.
func TestConfigurationFixtures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(repository, "testdata", "err", "config", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		code := strings.TrimSuffix(filepath.Base(file), ".txtar")
		got := saidOf(t, file)
		if !strings.Contains(got, "["+code+"]") {
			t.Errorf("%s: there is no %s in it:\n%s", file, code, got)
		}
		golden.Check(t, file+".out", got)
	}
}

// TestPackFixtures reads the knowledge packs of testdata/err/packs, each an archive that
// shows the rule it is named after, and a file that is too large to show.
func TestPackFixtures(t *testing.T) {
	dir := filepath.Join(repository, "testdata", "err", "packs")
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	fixtures := map[string]fstest.MapFS{filepath.Join(dir, "unreadable-file"): {
		"pack.yaml": {Data: []byte("name: demo\nnode_types: {ACTION: acts}\n")}, "node.yaml": {Data: make([]byte, 4<<20+1)},
	}}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		fixtures[file] = fstest.MapFS{}
		for _, f := range archive.Files {
			fixtures[file][f.Name] = &fstest.MapFile{Data: f.Data}
		}
	}
	for file, pack := range fixtures {
		_, found, err := packs.ReadPack(pack)
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		for _, f := range found {
			said.WriteString(f.String() + "\n")
		}
		code := strings.TrimSuffix(filepath.Base(file), ".txtar")
		if codes := codesIn(said.String()); !slices.Equal(codes, []string{code}) {
			t.Errorf("%s shows %q, want its own rule alone", file, codes)
		}
		golden.Check(t, file+".out", said.String())
	}
}

// saidOf is what is said of the files of an archive.
func saidOf(t *testing.T, file string) string {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	o := config.Options{Dir: dir, Environ: func(string) (string, bool) { return "", false }}
	for _, f := range archive.Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f.Name, "mcp.json") {
			o.MCP = append(o.MCP, f.Name)
		}
	}
	var said strings.Builder
	cfg, _, err := config.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range cfg.Files {
		said.WriteString(f.Render())
	}
	graphs, err := graphfiles.OpenGraphs(filepath.Join(dir, "graphs"))
	if err != nil {
		t.Fatal(err)
	}
	_, broken := graphs.List()
	for _, b := range broken {
		said.WriteString(diag.Format(b.Path, b.Src, b.Diagnostics))
	}
	return filepath.ToSlash(strings.ReplaceAll(said.String(), dir+string(filepath.Separator), ""))
}

// TestEveryRuleIsShown looks on the page of rules for an example of every rule: what
// is faulty, and what is said of it.
func TestEveryRuleIsShown(t *testing.T) {
	shown, err := shownFaults(filepath.Join(repository, "testdata", "err"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range diag.Rules() {
		f, ok := shown[r.Example()]
		if !ok || !slices.Contains(codesIn(f.said), r.Code) {
			t.Errorf("no fixture shows %s", r.Code)
		}
	}
}

var codeAtEnd = regexp.MustCompile(`(?m) \[([a-z0-9-]+)\]$`)

// codesIn are the codes of a rendering, in its order.
func codesIn(rendering string) []string {
	var codes []string
	for _, m := range codeAtEnd.FindAllStringSubmatch(rendering, -1) {
		codes = append(codes, m[1])
	}
	return codes
}
