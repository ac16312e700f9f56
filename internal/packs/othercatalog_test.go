package packs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A specification as a catalog of another system serialises it: nulls, defaults and
// schemas as texts, -1 for unlimited, an example with a name.
const otherSpec = `{
  "node_type": "ACTION_NODE", "subtype": "FETCH", "version": "1.0.0", "description": "Fetches a page",
  "parameters": [
    {"name": "address", "type": "url", "required": true, "default_value": null, "enum_values": null, "description": "Where", "validation_pattern": null},
    {"name": "method", "type": "enum", "required": false, "default_value": "GET", "enum_values": ["GET", "POST"], "description": "", "validation_pattern": null},
    {"name": "retries", "type": "integer", "required": false, "default_value": "3", "enum_values": null, "description": "", "validation_pattern": null},
    {"name": "wait", "type": "float", "required": false, "default_value": "0.5", "enum_values": null, "description": "", "validation_pattern": null},
    {"name": "follow", "type": "boolean", "required": false, "default_value": "True", "enum_values": null, "description": "", "validation_pattern": null},
    {"name": "headers", "type": "json", "required": false, "default_value": "{\"a\": 1}", "enum_values": null, "description": "", "validation_pattern": null},
    {"name": "save_to", "type": "file", "required": false, "default_value": "", "enum_values": null, "description": "", "validation_pattern": null},
    {"name": "code", "type": "string", "required": false, "default_value": null, "enum_values": null, "description": "", "validation_pattern": "^[0-9]{3}$"}
  ],
  "input_ports": [
    {"name": "main", "type": "MAIN", "required": true, "description": "Items", "max_connections": 1,
     "data_format": {"mime_type": "application/json", "schema": "{\"id\": \"string\", \"tags\": [\"string\"], \"meta\": {\"size\": \"int\"}}", "examples": ["{\"id\": \"a\"}"]},
     "validation_schema": "{\"type\": \"object\", \"required\": [\"id\"], \"properties\": {\"id\": {\"type\": \"string\"}}}"}
  ],
  "output_ports": [
    {"name": "main", "type": "MAIN", "description": "", "max_connections": -1, "data_format": null, "validation_schema": null},
    {"name": "error", "type": "ERROR", "description": "", "max_connections": -1, "data_format": null, "validation_schema": null}
  ],
  "examples": [{"name": "Rates", "description": "of today", "parameters": {"address": "https://rates.example"}, "notes": "dropped"}]
}`

func loadFolder(t *testing.T, files map[string]string) (*Pack, []Finding) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "Other Catalog")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, found, err := LoadPack(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p, found
}

func TestSpecificationsOfOtherCatalogsLoad(t *testing.T) {
	for name, text := range map[string]string{"one node": otherSpec, "a list": "[" + otherSpec + "]", "a reply with nodes": `{"nodes": [` + otherSpec + `]}`} {
		t.Run(name, func(t *testing.T) {
			p, found := loadFolder(t, map[string]string{"nodes.json": text})
			if len(found) > 0 || len(p.Specs) != 1 {
				t.Fatalf("%d nodes, findings %v", len(p.Specs), found)
			}
			if p.Name != "other-catalog" {
				t.Errorf("without a manifest the pack is called %q", p.Name)
			}
			s := p.Specs[0]
			var defaults []string
			for _, param := range s.Parameters {
				b, _ := json.Marshal(param.DefaultValue)
				defaults = append(defaults, param.Name+" "+param.Type+" "+string(b))
			}
			want := []string{"address url null", `method enum "GET"`, "retries integer 3", "wait float 0.5", "follow boolean true", `headers json {"a":1}`, "save_to file null", "code string null"}
			if d := cmp.Diff(want, defaults); d != "" {
				t.Error(d)
			}
			in, out := s.InputPorts[0], s.OutputPorts[0]
			if in.MaxConnections != 1 || out.MaxConnections != 0 || out.DataFormat != nil {
				t.Errorf("ports %+v %+v", in, out)
			}
			wantSchema := `{"properties":{"id":{"type":"string"},"meta":{"properties":{"size":{"type":"integer"}},"type":"object"},"tags":{"items":{"type":"string"},"type":"array"}},"type":"object"}`
			if got := string(in.DataFormat.Schema); got != wantSchema {
				t.Errorf("schema of the fields: %s", got)
			}
			if got := string(in.DataFormat.Examples[0]); got != `{"id":"a"}` {
				t.Errorf("example of the data: %s", got)
			}
			if !strings.HasPrefix(string(in.ValidationSchema), `{"properties"`) {
				t.Errorf("validation schema: %s", in.ValidationSchema)
			}
			if e := s.Examples[0]; e.Title != "Rates: of today" || string(e.Parameters) != `{"address":"https://rates.example"}` {
				t.Errorf("example %+v", e)
			}
		})
	}
}

// What is wrong in such a specification is reported at its place, as in any pack.
func TestFaultsOfOtherCatalogs(t *testing.T) {
	for _, tc := range []struct{ name, old, new, want string }{
		{"value of no URL", "https://rates.example", "rates", `bad-example: the value of "address" "rates" is not of type url: it is not a URL: expected <scheme>://<host>`},
		{"default of another type", `"3"`, `"three"`, `bad-default: the default "three" is not of type integer`},
		{"enum without values", `["GET", "POST"]`, "null", `bad-enum: parameter "method" of type enum has no enum_values`},
		{"schema that is not JSON", `"{\"type\": \"object\"`, `"{type: \"object\"`, "bad-shape: got string, expected boolean or object"},
		{"type that no catalog has", `"url"`, `"link"`, `unknown-pack-type: parameter type "link" is not known`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, found := loadFolder(t, map[string]string{"nodes.json": strings.Replace(otherSpec, tc.old, tc.new, 1)})
			if len(found) == 0 || !strings.HasPrefix(found[0].Code+": "+found[0].Message, tc.want) || found[0].Line == 0 {
				t.Errorf("got %v, want %s", found, tc.want)
			}
		})
	}
}
