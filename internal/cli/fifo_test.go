//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
)

// Every command refuses a pipe that nobody writes to, wherever it can name a file. A
// patchbay that opened one would never end.
func TestPipesAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HOME", filepath.Join(t.TempDir(), "home"))
	for _, dir := range []string{"saved", "tests", "pack"} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, pipe := range []string{"pipe", "pipe.yaml", "saved/pipe.yaml", "tests/pipe.yaml", "pack/pack.yaml"} {
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Skip(err)
		}
	}
	for name, text := range map[string]string{
		"graph.yaml":  "nodes:\n  - {id: entry, type: entry, next: exit}\n  - {id: exit, type: exit}\n",
		"saved.yaml":  "graphs: saved\n",
		"folder.yaml": "graphs: pipe\n",
		"packs.yaml":  "packs: [pipe]\n",
		"root.yaml":   "workspace: {enabled: true, root: pipe}\n",
		"runs.yaml":   "runs: {file: pipe}\n",
		"cache.yaml":  "cache: pipe\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, out := patchbay(t, "run", "graph.yaml"); code != command.ExitOK {
		t.Fatal(out)
	}
	_, listed := patchbay(t, "runs", "list", "-o", "name")
	id, _, _ := strings.Cut(listed, "\n")
	for _, c := range []struct{ command, says string }{
		{"validate pipe", "not a regular file"},
		{"validate --fix pipe", "not a regular file"},
		{"edit pipe []", "not a regular file"},
		{"export pipe", "not a regular file"},
		{"run pipe", "not a regular file"},
		{"run pipe.yaml", "not a regular file"},
		{"graphs save pipe", "not a regular file"},
		{"eval 1 -f pipe", "not a regular file"},
		{"test pipe", "not a regular file"},
		{"test tests", "there are no tests"},
		{"validate tests", "there are no graph documents"},
		{"fmt pipe", "not a regular file"},
		{"fmt tests", "there are no graph documents"},
		{"runs resume " + id + " --graph-file pipe", "not a regular file"},
		{"runs save-test " + id + " --file pipe", "pipe: "},
		{"packs lint pipe", "not a directory"},
		{"packs lint pack", "there is no pack.yaml"},
		{"-g pipe types", "not a regular file"},
		{"-m pipe types", "not a regular file"},
		{"--config pipe types", "not a regular file"},
		{"--config saved.yaml graphs list", "not a regular file"},
		{"--config folder.yaml graphs list", "not a directory"},
		{"--config packs.yaml --debug types", "not a directory"},
		{"--config root.yaml --debug types", "root"},
		{"--config runs.yaml runs list", "not a regular file"},
		{"--config cache.yaml doctor", "it is not a folder"},
	} {
		if _, out := patchbay(t, strings.Fields(c.command)...); !strings.Contains(out, c.says) {
			t.Errorf("%s: does not say %q:\n%s", c.command, c.says, out)
		}
	}
}
