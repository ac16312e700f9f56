package around

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/tests/testenv"
)

// A module does not go into a file that a link in its place leads to.
func TestAModuleIsNotWrittenThroughALink(t *testing.T) {
	mine, dir := filepath.Join(t.TempDir(), "mine"), t.TempDir()
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	testenv.Symlink(t, mine, filepath.Join(dir, "a.js"))
	m := &hookModules{dir: dir}
	if fault := m.write("a", "new"); fault != nil {
		t.Fatal(fault)
	}
	text, fault := m.read("a")
	if b, err := os.ReadFile(mine); err != nil || string(b) != "mine" || fault != nil || text != "new" {
		t.Errorf("%v: %s; %v: %s", err, b, fault, text)
	}
}
