package main

import (
	"path/filepath"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
)

// TestPictureOfDemo runs the demo and compares the picture of the README with what it
// printed.
func TestPictureOfDemo(t *testing.T) {
	path, err := filepath.Abs(filepath.Join(repository, referenceDir, "demo.svg"))
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, path, terminal("$ patchbay demo", printed(t, []string{"demo", "--color", "always"})))
}
