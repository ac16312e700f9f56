package graphfiles_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
)

// A graph is what its file is now, also after it has been listed: rewritten within a moment and
// as long as before, gone, and replaced by a file of another kind.
func TestAGraphIsWhatItsFileIsNow(t *testing.T) {
	dir := t.TempDir()
	g := over(t, dir, graphfiles.Approvals{})
	yaml, json := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "a.json")
	check := func(what, path, has string) {
		t.Helper()
		for range 2 {
			switch got, f := g.Get("a"); {
			case has == "" && (f == nil || f.Code != "unknown-graph"):
				t.Errorf("%s: %v, %v", what, got, f)
			case has != "" && (f != nil || got.Path != path || !strings.Contains(got.Src, has) || got.ToolNames()[0] != "a"):
				t.Errorf("%s: %v, %v", what, got, f)
			}
			g.List()
		}
	}
	check("nothing", "", "")
	put(t, yaml, approvable)
	check("new", yaml, "description: x\n")
	put(t, yaml, strings.Replace(approvable, ": x", ": y", 1))
	check("rewritten", yaml, "description: y\n")
	if err := os.Rename(yaml, json); err != nil {
		t.Fatal(err)
	}
	put(t, json, `{"name":"a","description":"j","inputSchema":{},"outputSchema":{},"nodes":[{"id":"entry","type":"entry","next":"exit"},{"id":"exit","type":"exit"}]}`)
	check("of another kind", json, `"j"`)
	put(t, yaml, approvable)
	check("both", yaml, "description: x\n")
	for _, path := range []string{yaml, json} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	check("gone", "", "")
}
