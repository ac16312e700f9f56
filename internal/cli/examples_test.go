package cli

import (
	"bytes"
	"testing"
)

// The tests of the examples pass for whoever has a clone and nothing else.
func TestExamplesPass(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"} {
		t.Setenv(name, "")
	}
	t.Setenv("PATH", "") // no npx
	t.Chdir("../..")
	var stdout, stderr bytes.Buffer
	if code := Execute(t.Context(), []string{"test", "examples"}, nil, &stdout, &stderr); code != exitOK {
		t.Errorf("exit code %d:\n%s%s", code, stdout.Bytes(), stderr.Bytes())
	}
}
