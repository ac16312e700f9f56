package clientcode_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/patchbay-mcp/patchbay/internal/author/clientcode"
	"github.com/patchbay-mcp/patchbay/internal/tests/golden"
	"github.com/patchbay-mcp/patchbay/specs"
)

func tool(server, name, description, input, output string) clientcode.Tool {
	s := &specs.Spec{NodeType: specs.MCP, Subtype: server + "/" + name, Description: description, InputSchema: json.RawMessage(input), OutputSchema: json.RawMessage(output)}
	if server == "" {
		s.NodeType, s.Subtype = specs.Graph, name
	}
	return clientcode.Tool{Spec: s}
}

const noArguments = `{"type": "object", "additionalProperties": false}`

// examples have what schemas of real servers have.
func examples() []clientcode.Tool {
	observed := tool("files", "stat", "Describes a file.", `{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}`, "")
	observed.Observed = json.RawMessage(`{"type": "object", "properties": {"size": {"type": "integer"}, "mode": {"type": ["string", "null"]}}, "required": ["size"]}`)
	foreign := tool("elsewhere", "step", "Of another system.", noArguments, "")
	foreign.Spec.NotRunnable = true
	return []clientcode.Tool{
		tool("", "count-files", "Counts files.\n\nIt looks into folders, too.", `{"type": "object", "properties": {"dir": {"type": "string", "description": "the folder"}}, "required": ["dir"]}`, `{"type": "integer"}`),
		tool("files", "list_files", "Lists the names.", noArguments, `{"type": "object", "properties": {"names": {"type": "array", "items": {"type": "string"}}}, "required": ["names"]}`),
		tool("files", "read", "", `{"type": "object", "properties": {"at": {"$ref": "#/$defs/place"}, "from-line": {"type": "integer", "description": "first line"}, "as": {"enum": ["text", "base64", 1, null, true]}}, "required": ["at"],
			"$defs": {"place": {"type": "object", "properties": {"path": {"type": "string"}, "in": {"$ref": "#/$defs/place"}}, "required": ["path"]}}}`, `{"anyOf": [{"type": "string"}, {"type": "object", "properties": {"blob": {"type": "string"}}, "required": ["blob"], "additionalProperties": true}]}`),
		tool("files", "set_labels", "Sets labels.", `{"type": "object", "properties": {"labels": {"type": "object", "additionalProperties": {"type": ["string", "number"]}}, "pairs": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "boolean"}]}}}`, ""),
		tool("files", "anything", "Takes what it is given.", `{"type": "object"}`, `{"type": "array", "items": {"oneOf": [{"const": "a"}, {"const": "b"}]}}`),
		tool("issue tracker", "createIssue", "Creates an issue.", `{"allOf": [{"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}, {"type": "object", "properties": {"class": {"type": "string"}}}]}`, `{"type": "object", "properties": {"id": {"type": "string"}, "a b": {}}, "required": ["id"]}`),
		observed, foreign,
	}
}

func TestGeneratedCode(t *testing.T) {
	golden.Check(t, filepath.Join("testdata", "client.ts.txt"), afterRuntime(t, clientcode.TypeScript(examples()), "\n/** Tools of"))
}

// afterRuntime is what is written for tools.
func afterRuntime(t *testing.T, code string, marks ...string) string {
	t.Helper()
	for _, mark := range marks {
		if at := strings.Index(code, mark); at >= 0 {
			return code[at:]
		}
	}
	t.Fatalf("there is no %q in\n%s", marks, code)
	return ""
}

// The same tools in another order give the same code, and names that are alike get
// numbers in the order of the names.
func TestNamesAreStableAndUnique(t *testing.T) {
	tools := []clientcode.Tool{
		tool("a", "get_x", "", noArguments, ""), tool("a", "get-x", "", noArguments, ""), tool("a", "getX", "", noArguments, ""), tool("a", "get x", "", noArguments, ""),
		tool("a", "class", "", `{"type": "object", "properties": {"from": {}, "a-b": {}, "a_b": {}, "": {}, "9": {}, "名": {}}}`, ""),
		tool("class", "list", "", noArguments, ""), tool("graphs", "x", "", noArguments, ""), tool("start", "x", "", noArguments, ""), tool("", "start", "", noArguments, ""),
		tool("Ünïcode", "x", "", noArguments, ""), tool("名", "x", "", noArguments, ""), tool("42", "x", "", noArguments, ""),
	}
	reversed := make([]clientcode.Tool, 0, len(tools))
	for i := range tools {
		reversed = append(reversed, tools[len(tools)-1-i])
	}
	ts := clientcode.TypeScript(tools)
	if clientcode.TypeScript(reversed) != ts {
		t.Error("the code depends on the order of the tools")
	}
	for _, want := range []string{
		`  getX: (args: Record<string, never> = {}): Promise<unknown> => _tool("a", "get x", args)`, `getX2: (args: Record<string, never> = {}): Promise<unknown> => _tool("a", "get-x", args)`,
		`getX3: (args: Record<string, never> = {}): Promise<unknown> => _tool("a", "getX", args)`, `getX4: (args: Record<string, never> = {}): Promise<unknown> => _tool("a", "get_x", args)`,
		"export const class_ = {", "export const graphs2 = {", "export const start_ = {", "export const graphs = {\n  start: (", "export const x42 = {", `_tool("名", "x", args)`, `"a-b"?: unknown`, `"名"?: unknown`,
	} {
		if !strings.Contains(ts, want) {
			t.Errorf("TypeScript lacks %s", want)
		}
	}
}

// hostile texts try to end the comment or the literal that they are in.
var hostile = []string{
	`*/ PWNED(); /*`, `""" + PWNED() + """`, `"""` + "\nPWNED()\n" + `"""`, `\`, `\"""`, `"`, `'; PWNED()`, "${PWNED()}", "`", "// \u2028 PWNED()", "\u2029PWNED()", "\nPWNED()", "\r PWNED()",
	"\x00PWNED()", "*\u200b/ PWNED()", "*\x00/ PWNED()", `""\"""PWNED()`, `"] = PWNED() #`, "ends with a quote \"", "ends with a backslash \\", `\*/ PWNED()`, "\u202e PWNED", `"""""" PWNED()`, "*\\/ PWNED()",
}

// hostileTools have each text in each place that comes from a server.
func hostileTools(t *testing.T) []clientcode.Tool {
	t.Helper()
	var tools []clientcode.Tool
	for _, text := range hostile {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		q := string(quoted)
		schema := `{"type": "object", "description": ` + q + `, "required": [` + q + `], "properties": {` + q + `: {"type": "string", "description": ` + q + `}, "a": {"enum": [` + q + `]}, "b": {"const": ` + q + `}, "c": {"type": ` + q + `},
			"d": {"$ref": ` + q + `}, "e": {"type": "object", "properties": {` + q + `: {"type": "integer", "description": ` + q + `}}}}}`
		tools = append(tools, tool(text, text, text, schema, schema), tool("", text, text, schema, schema))
	}
	return tools
}

// Nothing that a server says becomes code.
func TestTextsOfServersDoNotBecomeCode(t *testing.T) {
	ts := regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|` + "`(?:[^`\\\\]|\\\\.)*`")
	called := regexp.MustCompile(`\bPWNED\(`)
	code := ts.ReplaceAllString(clientcode.TypeScript(hostileTools(t)), "")
	for line := range strings.Lines(code) {
		if called.MatchString(line) {
			t.Errorf("%q", line)
		}
	}
	if strings.ContainsAny(code, "\u2028\u2029\u202e\u200b\x00\r") {
		t.Error("the code has hidden characters")
	}
}

// A schema of any size or depth is written within bounds.
func TestLargeSchemasAreCut(t *testing.T) {
	deep := strings.Repeat(`{"type": "array", "items": `, 3000) + "true" + strings.Repeat("}", 3000)
	wide := `{"type": "object", "properties": {"x": {"type": "string"}` + strings.Repeat(`, "x": {"type": "object", "properties": {"y": {"$ref": "#"}, "z": {"$ref": "#/properties/x"}}}`, 3000) + "}}"
	for _, schema := range []string{deep, wide} {
		if code := clientcode.TypeScript([]clientcode.Tool{tool("a", "b", "", schema, schema)}); len(code) > 1<<20 {
			t.Errorf("%d bytes are written for a schema of %d", len(code), len(schema))
		}
	}
}

func TestOddSchemas(t *testing.T) {
	for _, schema := range []string{"", "null", "true", "[]", `"x"`, "{", `{"type": 7}`, `{"type": ["nope"]}`, `{"properties": []}`, `{"enum": {}}`, `{"required": "a"}`, `{"anyOf": {}}`, `{"items": 3}`, `{"$ref": "#/nowhere"}`, `{"$ref": "#"}`, `{"const": null}`} {
		ts := clientcode.TypeScript([]clientcode.Tool{tool("a", "b", "", schema, schema)})
		if !strings.Contains(ts, "b: (args") {
			t.Errorf("%s: %s", schema, ts)
		}
	}
}
