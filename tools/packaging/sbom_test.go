package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestSBOM reads what this test consists of, which is linked from the same modules as the
// program.
func TestSBOM(t *testing.T) {
	r := declared(t)
	t.Chdir(filepath.Join("..", ".."))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := platform{"linux", "arm64"}
	if err := r.sbom(p, self); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(r.sbomPath(p))
	if err != nil {
		t.Fatal(err)
	}
	var list sbom
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	found := map[string]sbomComponent{}
	for _, c := range list.Components {
		if _, twice := found[c.Ref]; twice || c.Version == "" {
			t.Errorf("%s, version %q, twice: %v", c.Ref, c.Version, twice)
		}
		found[c.Ref] = c
	}
	names := map[string]sbomComponent{}
	for _, c := range list.Components {
		names[c.Name] = c
	}
	if c := names["github.com/spf13/cobra"]; len(c.Properties) != 1 || c.PURL != "pkg:golang/github.com/spf13/cobra@"+c.Version {
		t.Errorf("a module is %+v", c)
	}
	if c := names["@codemirror/view"]; c.PURL != "pkg:npm/%40codemirror/view@"+c.Version || len(c.Hashes) != 1 || c.Licenses[0]["expression"] != "MIT" {
		t.Errorf("a package of npm is %+v", c)
	}
	if _, ok := names["vite"]; ok || names["stdlib"].Version == "" {
		t.Error("a package for development is listed, or the standard library is not")
	}
	if len(list.Dependencies) != 1 || len(list.Dependencies[0].DependsOn) != len(list.Components) || list.Metadata.Component.Version != "1.2.3" {
		t.Errorf("the program is %+v", list.Metadata.Component)
	}
}
