package mcpserver

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
)

const snapshots = "../testdata/tools"

// What a client sees of every tool is reviewed like code: a change of it is a
// change of a file.
func TestToolSnapshots(t *testing.T) {
	c := connect(t, options{debug: true})
	var r struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(c.request("tools/list", map[string]any{}).Result, &r); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, tool := range r.Tools {
		var head listedTool
		if err := json.Unmarshal(tool, &head); err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := json.Indent(&got, tool, "", "  "); err != nil {
			t.Fatal(err)
		}
		got.WriteByte('\n')
		file := filepath.Join(snapshots, head.Name+".json")
		seen[filepath.Base(file)] = true
		golden.Check(t, file, got.String())
	}
	files, err := os.ReadDir(snapshots)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !seen[f.Name()] {
			t.Errorf("%s is the snapshot of no tool", f.Name())
		}
	}
}

// The list of tools fits into a context with those of other servers.
func TestToolListIsSmall(t *testing.T) {
	c := connect(t, options{})
	n := len(c.request("tools/list", map[string]any{}).Result)
	t.Logf("tools/list has %d bytes", n)
	if n > 12_000 {
		t.Errorf("tools/list has %d bytes, want at most 12000", n)
	}
}

// What every tool of the list has, so that every client takes it.
func TestToolInvariants(t *testing.T) {
	c := connect(t, options{documents: []string{document}})
	c.call("save_graph", `{"graph":`+orderGraph+`}`)
	c.note("notifications/tools/list_changed")
	own := map[string]bool{}
	for _, o := range app.Operations() {
		own[o.Tool] = true
	}
	var names []string
	for _, tool := range c.list() {
		names = append(names, tool.Name)
		if own[tool.Name] && tool.Title == "" {
			t.Errorf("%s has no title", tool.Name)
		}
		if tool.Description == "" {
			t.Errorf("%s has no description", tool.Name)
		}
		hints := []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
		for _, hint := range hints {
			if _, said := tool.Annotations[hint]; !said && (own[tool.Name] || hint == "destructiveHint" || hint == "openWorldHint") {
				t.Errorf("%s does not say its %s", tool.Name, hint)
			}
		}
		if tool.Annotations["readOnlyHint"] == true && tool.Annotations["destructiveHint"] == true {
			t.Errorf("%s is both read-only and destructive", tool.Name)
		}
		checkSchema(t, tool.Name+" inputSchema", tool.InputSchema, own[tool.Name])
		if !own[tool.Name] {
			checkSchema(t, tool.Name+" outputSchema", tool.OutputSchema, false)
		} else if len(tool.OutputSchema) > 0 {
			t.Errorf("%s lists an outputSchema, which would double the list", tool.Name)
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("the tools are in no order: %s", names)
	}
}

// Every operation with a tool's name is listed, and no graph can be saved under it.
func TestOperationsAreToolsWithReservedNames(t *testing.T) {
	c := connect(t, options{debug: true})
	listed := map[string]bool{}
	for _, tool := range c.list() {
		listed[tool.Name] = true
	}
	for _, o := range app.Operations() {
		if o.Tool == "" {
			continue
		}
		if !listed[o.Tool] {
			t.Errorf("%s is not a tool", o.Tool)
		}
		r := c.call("save_graph", `{"name":"`+o.Tool+`","graph":`+orderGraph+`}`)
		if r.text("error", "code") != "name-taken" {
			t.Errorf("a graph is saved as %s: %s", o.Tool, r.Text)
		}
		delete(listed, o.Tool)
	}
	for name := range listed {
		t.Errorf("the tool %s is not an operation", name)
	}
}

// checkSchema checks what clients are known to insist on.
func checkSchema(t *testing.T, what string, raw json.RawMessage, described bool) {
	t.Helper()
	var schema map[string]json.RawMessage
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if string(schema["type"]) != `"object"` {
		t.Errorf("%s has the type %s", what, schema["type"])
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if _, has := schema[key]; has {
			t.Errorf("%s has %s at the top", what, key)
		}
	}
	var properties map[string]json.RawMessage
	if schema["properties"] != nil {
		if err := json.Unmarshal(schema["properties"], &properties); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for name, p := range properties {
		var property map[string]json.RawMessage
		if json.Unmarshal(p, &property) != nil {
			t.Errorf("%s: the property %s is %s, not an object", what, name, p)
		} else if described && len(property["description"]) < 5 {
			t.Errorf("%s: the parameter %s has no description", what, name)
		}
	}
}
