package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestBuiltFilesMatchTheirSchemas validates server.json and the SBOM against the schemas of
// the MCP registry and of CycloneDX, which are in modules of Go.
func TestBuiltFilesMatchTheirSchemas(t *testing.T) {
	for _, c := range []struct {
		file, module, id string
		schemas          map[string]string // files of the module by their ids
	}{
		{
			file: "server.json", module: "github.com/modelcontextprotocol/registry@v1.8.8", id: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
			schemas: map[string]string{"https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json": "internal/validators/schemas/2025-12-11.json"},
		},
		{
			file: "sbom/*.cdx.json", module: "github.com/CycloneDX/cyclonedx-go@v0.12.0", id: "http://cyclonedx.org/schema/bom-1.6.schema.json",
			schemas: map[string]string{
				"http://cyclonedx.org/schema/bom-1.6.schema.json":  "schema/bom-1.6.schema.json",
				"http://cyclonedx.org/schema/spdx.schema.json":     "schema/spdx.schema.json",
				"http://cyclonedx.org/schema/jsf-0.82.schema.json": "schema/jsf-0.82.schemax.json",
			},
		},
	} {
		compiler := jsonschema.NewCompiler()
		path := built(t, c.file)
		dir := moduleFolder(t, c.module)
		for id, name := range c.schemas {
			if err := compiler.AddResource(id, readJSON(t, filepath.Join(dir, filepath.FromSlash(name)))); err != nil {
				t.Fatal(err)
			}
		}
		schema, err := compiler.Compile(c.id)
		if err != nil {
			t.Fatal(err)
		}
		value := readJSON(t, path)
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if named := value.(map[string]any)["$schema"]; named != c.id {
			t.Errorf("%s names the schema %v", path, named)
		}
	}
}

// moduleFolder downloads a module, whose checksum go compares, and returns its folder.
func moduleFolder(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module).Output()
	var m struct{ Dir, Error string }
	if wrong := json.Unmarshal(out, &m); err != nil || wrong != nil {
		t.Fatalf("%s: %v %s", module, err, m.Error)
	}
	return m.Dir
}

func readJSON(t *testing.T, path string) any {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	value, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	return value
}
