package cli

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/cli/command"
)

// The tests of the examples pass for whoever has a clone and nothing else.
func TestExamplesPass(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"} {
		t.Setenv(name, "")
	}
	t.Setenv("PATH", "") // no npx
	t.Chdir("../..")
	files, err := filepath.Glob("examples/*")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	// Those of tasks call servers, and have a test of their own.
	files = slices.DeleteFunc(files, func(f string) bool {
		return f == filepath.Join("examples", "tasks") || strings.HasSuffix(f, ".yaml") && !strings.HasSuffix(f, ".test.yaml") || !strings.HasSuffix(f, ".yaml") && filepath.Ext(f) != ""
	})
	var stdout, stderr bytes.Buffer
	if code := Execute(t.Context(), append([]string{"test"}, files...), nil, &stdout, &stderr); code != command.ExitOK {
		t.Errorf("exit code %d:\n%s%s", code, stdout.Bytes(), stderr.Bytes())
	}
}
