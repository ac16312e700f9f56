package packs

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-mcp/patchbay/schema"
)

func TestExamplePack(t *testing.T) {
	p, found, err := LoadPack("../../examples/packs/automation")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Error(f)
	}
	if len(p.Specs) < 30 {
		t.Errorf("%d nodes, want at least 30", len(p.Specs))
	}
	types := map[string]int{}
	for _, s := range p.Specs {
		types[s.NodeType]++
		if !s.NotRunnable || s.Source != "pack:automation" || s.Subtype == "" {
			t.Errorf("%s: runnable %v, source %q", s.ID(), !s.NotRunnable, s.Source)
		}
	}
	for _, want := range []string{"ACTION_NODE", "TRIGGER_NODE", "AI_AGENT_NODE", "FLOW_NODE", "TOOL_NODE", "MEMORY_NODE", "HUMAN_LOOP_NODE", "EXTERNAL_ACTION_NODE"} {
		if types[want] == 0 {
			t.Errorf("no node of type %s", want)
		}
	}
}

const manifest = "name: demo\nnode_types: {ACTION_NODE: acts}\nport_types: {main: items}\n"

// TestLintPlacesEachFault gives each fault a pack of one node and expects
// exactly that fault, where it stands, and the node left out.
func TestLintPlacesEachFault(t *testing.T) {
	const head = "node_type: ACTION_NODE\nsubtype: X\ndescription: Does x\nexamples: [{title: t, parameters: {}}]\n"
	for _, tc := range []struct{ name, text, want string }{
		{"duplicate parameter", head + "parameters:\n  - {name: a, type: string}\n  - {name: a, type: number}\n", `node.yaml:7:6: error: parameter "a" is described twice [duplicate-parameter]`},
		{"unknown parameter type", head + "parameters:\n  - name: a\n    type: text\n", `node.yaml:7:5: error: parameter type "text" is not known [unknown-pack-type]`},
		{"unknown node type", strings.Replace(head, "ACTION_NODE", "ACTON_NODE", 1), `node.yaml:1:1: error: node type "ACTON_NODE" is not among the pack's [unknown-pack-type]`},
		{"a type of Patchbay's own", strings.Replace(head, "ACTION_NODE", "idiom", 1), `node.yaml:1:1: error: node type "idiom" is one of Patchbay's own [reserved-type]`},
		{"unknown port type", head + "input_ports: [{name: a, type: mein}]\n", `node.yaml:5:25: error: port type "mein" is not among the pack's [unknown-pack-type]`},
		{"duplicate port", head + "output_ports: [{name: a, type: main}, {name: a, type: main}]\n", `node.yaml:5:40: error: port "a" is described twice [duplicate-port]`},
		{"bad pattern", head + "parameters:\n  - {name: a, type: string, validation_pattern: '(a'}\n", "node.yaml:6:29: error: validation_pattern is not a regular expression: missing closing ): `(a` [bad-pattern]"},
		{"pattern on a number", head + "parameters:\n  - {name: a, type: number, validation_pattern: 'a'}\n", "node.yaml:6:29: error: a pattern cannot hold for a parameter of type number [bad-pattern]"},
		{"bad default", head + "parameters:\n  - {name: a, type: integer, default_value: 1.5}\n", "node.yaml:6:30: error: the default 1.5 is not of type integer [bad-default]"},
		{"bad enum", head + "parameters:\n  - {name: a, type: string, enum_values: [x, 2]}\n", "node.yaml:6:46: error: 2 is not of type string [bad-enum]"},
		{"example without a required value", head + "parameters:\n  - {name: a, type: string, required: true}\n", `node.yaml:4:23: error: required parameter "a" has no value [bad-example]`},
		{"example of the wrong type", strings.Replace(head, "parameters: {}", "parameters: {a: 1}", 1) + "parameters: [{name: a, type: string}]\n", `node.yaml:4:36: error: the value of "a" 1 is not of type string [bad-example]`},
		{"example outside the enum", strings.Replace(head, "parameters: {}", "parameters: {a: z}", 1) + "parameters: [{name: a, type: string, enum_values: [x, y]}]\n", `node.yaml:4:36: error: the value of "a" "z" is not one of "x", "y" [bad-example]`},
		{"example against the pattern", strings.Replace(head, "parameters: {}", "parameters: {a: z}", 1) + "parameters: [{name: a, type: string, validation_pattern: '^a'}]\n", `node.yaml:4:36: error: the value of "a" "z" does not match ^a [bad-example]`},
		{"example with an unknown parameter", strings.Replace(head, "parameters: {}", "parameters: {b: z}", 1), `node.yaml:4:36: error: the node has no parameter "b" [bad-example]`},
		{"bad port schema", head + "input_ports: [{name: a, type: main, validation_schema: {type: strin}}]\n", "[bad-port-schema]"},
		{"port example against its schema", head + "input_ports: [{name: a, type: main, data_format: {mime_type: application/json, schema: {type: object}, examples: [3]}}]\n", "the example does not satisfy its schema: got number, expected object [bad-example]"},
		{"unknown key", head + "colour: red\n", `node.yaml:5:1: error: unknown key "colour" [bad-shape]`},
		{"missing key", "node_type: ACTION_NODE\n", `node.yaml:1:1: error: "description" is missing [bad-shape]`},
		{"wrong shape", head + "tags: red\n", "node.yaml:5:1: error: got string, expected array [bad-shape]"},
		{"not YAML", "a: [\n", "node.yaml:2:1: error: expected a value, found the end of the text [syntax]"},
		{"duplicate key", head + "title: a\ntitle: b\n", `node.yaml:6:1: error: key "title" is already in this map [duplicate-key]`},
		{"alias", head + "title: &a x\ncategory: *a\n", "node.yaml:5:8: error: the YAML anchor \"&a\" is not part of the format [alias]"},
		{"words that only YAML takes for values", head + "parameters:\n  - {name: a, type: boolean, default_value: True}\n", `node.yaml:6:30: error: the default "True" is not of type boolean [bad-default]` + "\n" + `node.yaml:6:45: note: True is a string here, not true [yaml-word]`},
		{"two documents", head + "---\n" + head, "[second-document]"},
		{"empty", "", "[empty-document]"},
		{"outside reference", head + "input_ports: [{name: a, type: main, validation_schema: {$ref: 'file:///etc/passwd'}}]\n", "[bad-port-schema]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, found, err := ReadPack(fstest.MapFS{"pack.yaml": {Data: []byte(manifest)}, "node.yaml": {Data: []byte(tc.text)}})
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, f := range found {
				said = append(said, strings.Split(f.String(), "\n")[0])
			}
			if len(said) == 0 || !strings.Contains(strings.Join(said, "\n"), tc.want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(said, "\n"), tc.want)
			}
			if tc.name != "alias" && len(said) != 1+strings.Count(tc.want, "\n") {
				t.Errorf("%d findings for one fault:\n%s", len(said), strings.Join(said, "\n"))
			}
			if len(p.Specs) != 0 {
				t.Error("the node is kept")
			}
		})
	}
}

func TestOneBadNodeLeavesTheOthers(t *testing.T) {
	fsys := fstest.MapFS{
		"pack.yaml":   {Data: []byte(manifest)},
		"a.json":      {Data: []byte(`{"nodes": [{"node_type": "ACTION_NODE", "subtype": "A", "description": "d", "parameters": [{"name": "n", "type": "number", "default_value": 9007199254740993}]}, {"node_type": "NOPE", "description": "d"}]}`)},
		"sub/b.yml":   {Data: []byte("node_type: ACTION_NODE\nsubtype: A\ndescription: again\n")},
		".hidden.yml": {Data: []byte("not: read\n")},
		"notes.txt":   {Data: []byte("not read\n")},
	}
	p, found, err := ReadPack(fsys)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Specs) != 1 || p.Specs[0].ID() != "ACTION_NODE:A" {
		t.Fatalf("kept %v", p.Specs)
	}
	out, _ := json.Marshal(p.Specs[0].Parameters[0].DefaultValue)
	if string(out) != "9007199254740993" {
		t.Errorf("default is %s", out)
	}
	var codes []string
	for _, f := range found {
		codes = append(codes, fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Code))
	}
	want := []string{"a.json:1 no-example", "a.json:1 no-example", "a.json:1 unknown-pack-type", "sub/b.yml:1 no-example", "sub/b.yml:1 duplicate-node"}
	if d := cmp.Diff(want, codes); d != "" {
		t.Error(d)
	}
}

func TestNoPack(t *testing.T) {
	if _, _, err := LoadPack(t.TempDir() + "/absent"); err == nil {
		t.Error("an absent directory is a pack")
	}
	if _, _, err := LoadPack(t.TempDir()); err == nil || !strings.Contains(err.Error(), "pack.yaml") {
		t.Errorf("an empty directory: %v", err)
	}
}

// TestSchemaDescribesThePack holds the published schema against the files that
// the loader accepts.
func TestSchemaDescribesThePack(t *testing.T) {
	s := schema.New(PackSchema)
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	fsys := os.DirFS("../../examples/packs/automation")
	files, err := packFiles(fsys)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if found := breaches(s, readPackFile(fsys, name).data); len(found) > 0 {
			t.Errorf("%s: %v", name, found)
		}
	}
	if len(breaches(s, map[string]any{"node_type": "X", "description": "d", "colour": "red"})) == 0 {
		t.Error("the schema accepts a node with an unknown key")
	}
}
