package graphfiles_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/sys/formats"
)

// Pins of format 1 are read, and those of a later format are a fault.
func TestFormatsOfPins(t *testing.T) {
	g, dir := open(t, nil)
	mustSave(t, g, "a", version(1), graphfiles.SaveOptions{Pins: graphfiles.Pins{"fs/write": {Hash: "1"}}})
	file := filepath.Join(dir, ".pins", "a.json")
	if b, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(b), "{\n  \"format\": 2,") {
		t.Errorf("%v: %s", err, b)
	}
	text, err := os.ReadFile("testdata/format1/pins.json")
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if pins, f := g.Pins("a"); f != nil || len(pins) != 1 || pins["fs/read"].Hash != "1" || pins["fs/read"].Version != "2" {
		t.Errorf("%v: %+v", f, pins)
	}
	if err := os.WriteFile(file, []byte(`{"format": 99, "content": {}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, f := g.Pins("a"); f == nil || f.Code != "broken-graph" || f.Hint != formats.Hint {
		t.Errorf("pins of a later format: %+v", f)
	}
}

// An origin goes with its graph.
func TestOrigin(t *testing.T) {
	g, _ := open(t, nil)
	mustSave(t, g, "a", version(1), graphfiles.SaveOptions{})
	if o, f := g.Origin("a"); f != nil || o != nil {
		t.Errorf("%+v, %v", o, f)
	}
	if f := g.SetOrigin("a", &graphfiles.Origin{Source: "https://example.com/a.yaml", SHA256: "1"}); f != nil {
		t.Fatal(f)
	}
	if o, f := g.Origin("a"); f != nil || o == nil || o.Source != "https://example.com/a.yaml" {
		t.Errorf("%+v, %v", o, f)
	}
	if names, broken := listed(g); len(names) != 1 || len(broken) != 0 {
		t.Errorf("listed %v, broken %v", names, broken)
	}
	if f := g.Delete("a", ""); f != nil {
		t.Fatal(f)
	}
	if o, f := g.Origin("a"); f != nil || o != nil {
		t.Errorf("a deleted graph has the origin %+v, %v", o, f)
	}
}
