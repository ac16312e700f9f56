package graphfiles_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
)

// Pins are those of the last save or approval, are not listed as graphs, and go with
// their graph.
func TestPins(t *testing.T) {
	g, dir := open(t, nil)
	pinned := func() string {
		pins, f := g.Pins("a")
		if f != nil {
			t.Fatal(f)
		}
		return strings.Join(slices.Sorted(maps.Keys(pins)), " ")
	}
	first := graphfiles.Pins{"fs/read": {Hash: "1", Version: "2", Definition: []byte(`{"name":"read"}`)}}
	mustSave(t, g, "a", version(1), graphfiles.SaveOptions{Pins: first})
	if got := pinned(); got != "fs/read" {
		t.Errorf("pinned %s", got)
	}
	if names, broken := listed(g); strings.Join(append(names, broken...), " ") != "a" {
		t.Errorf("listed %v, broken %v", names, broken)
	}
	if f := g.Repin("a", graphfiles.Pins{"fs/write": {Hash: "1"}}); f != nil || pinned() != "fs/write" {
		t.Errorf("%v, pinned %s", f, pinned())
	}
	mustSave(t, g, "a", version(2), graphfiles.SaveOptions{Overwrite: true})
	if got := pinned(); got != "" {
		t.Errorf("a graph that uses no tools has pins of %s", got)
	}
	mustSave(t, g, "a", version(3), graphfiles.SaveOptions{Overwrite: true, Pins: first})
	if f := g.Delete("a", ""); f != nil || pinned() != "" {
		t.Errorf("%v; a deleted graph has pins of %s", f, pinned())
	}
	if f := g.Repin("a", first); f == nil || f.Code != "unknown-graph" {
		t.Errorf("a graph that is not there: %v", f)
	}
	if err := os.WriteFile(filepath.Join(dir, ".pins", "a.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, f := g.Pins("a"); f == nil || f.Code != "broken-graph" || !strings.Contains(f.Hint, "patchbay graphs approve a") {
		t.Errorf("damaged pins: %+v", f)
	}
}
