package protocol

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// asOdd makes this binary a server whose definitions clients refuse.
const asOdd = "PATCHBAY_TEST_ODD"

// oddSchemas are schemas of a value that some client refuses, or that make it fail.
var oddSchemas = []string{
	`true`, `false`, `null`, `"string"`, `[]`, `1`,
	`{"type":"any"}`, `{"type":"int"}`, `{"type":null}`, `{"type":[]}`, `{"type":["string","any"]}`, `{"type":["string","string"]}`, `{"type":"None"}`, `{"type":{"type":"string"}}`,
	`{"properties":null}`, `{"properties":[]}`, `{"properties":{"a":null}}`, `{"properties":{"a":true}}`, `{"properties":{"a":"string"}}`, `{"properties":{"a":{"properties":{"b":false}}}}`, `{"properties":true}`,
	`{"required":true}`, `{"required":null}`, `{"required":"a"}`, `{"required":[1]}`, `{"required":["a","a"]}`, `{"required":{}}`,
	`{"enum":[]}`, `{"enum":null}`, `{"enum":"a"}`, `{"enum":{"a":1}}`,
	`{"anyOf":[]}`, `{"oneOf":[]}`, `{"allOf":[]}`, `{"anyOf":null}`, `{"anyOf":{"type":"string"}}`, `{"anyOf":[null,{"type":"string"}]}`, `{"oneOf":["string"]}`, `{"allOf":[[]]}`,
	`{"items":null}`, `{"items":"string"}`, `{"type":"array","items":[{"type":"string"}],"additionalItems":false}`, `{"type":"array","items":[]}`, `{"type":"array","items":[null]}`, `{"additionalItems":"x"}`, `{"prefixItems":{}}`,
	`{"additionalProperties":null}`, `{"additionalProperties":"no"}`, `{"patternProperties":{"(":{}}}`, `{"patternProperties":{"(?i)a":{}}}`, `{"patternProperties":[]}`, `{"propertyNames":null}`,
	`{"pattern":"(?i)a"}`, `{"pattern":"("}`, `{"pattern":"\\A[a-z]+\\Z"}`, `{"pattern":"(?P<x>a)"}`, `{"pattern":"^[[:alpha:]]+$"}`, `{"pattern":5}`, `{"pattern":null}`, `{"pattern":"\\_"}`, `{"pattern":"a{,"}`, `{"pattern":"^\\d+\\-\\d+$"}`,
	`{"minLength":"1"}`, `{"minLength":-1}`, `{"minLength":1.5}`, `{"maxLength":null}`, `{"minItems":true}`, `{"minimum":"0"}`, `{"maximum":null}`, `{"exclusiveMinimum":true,"minimum":1}`, `{"exclusiveMaximum":false}`, `{"multipleOf":0}`, `{"multipleOf":-1}`, `{"multipleOf":"2"}`, `{"uniqueItems":"yes"}`, `{"uniqueItems":null}`,
	`{"nullable":true}`, `{"nullable":"yes","type":"string"}`, `{"type":"string","nullable":true}`, `{"type":"any","nullable":true}`,
	`{"$ref":"#/$defs/none"}`, `{"$ref":"#/definitions/None"}`, `{"$ref":"other.json"}`, `{"$ref":"https://example.com/x"}`, `{"$ref":null}`, `{"$ref":5}`, `{"$ref":"#none"}`, `{"$ref":""}`,
	`{"$id":"thing","type":"object"}`, `{"$id":"thing","type":"object","title":"another"}`, `{"$id":5}`, `{"$id":""}`, `{"id":"thing"}`, `{"id":5}`, `{"id":{"type":"string"}}`, `{"$anchor":5}`,
	`{"$schema":"http://json-schema.org/draft-04/schema#","exclusiveMinimum":true}`, `{"$schema":"http://json-schema.org/draft-03/schema#"}`, `{"$schema":5}`, `{"$schema":"https://example.com/mine"}`, `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","definitions":{"a":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/a"}}}`, `{"$schema":"https://json-schema.org/draft/2020-12/schema"}`, `{"$schema":"http://json-schema.org/schema#"}`,
	`{"$async":true}`, `{"$defs":null}`, `{"$defs":{"a":5}}`, `{"definitions":[]}`, `{"dependencies":{"a":"b"}}`, `{"dependencies":{"a":["b"]}}`, `{"dependencies":null}`, `{"dependentRequired":[]}`, `{"dependentSchemas":{"a":5}}`,
	`{"not":null}`, `{"not":"x"}`, `{"if":5}`, `{"contains":"x"}`, `{"format":5}`, `{"format":null}`, `{"format":"unheard-of"}`, `{"description":5}`, `{"description":null}`, `{"title":{}}`, `{"default":null,"examples":{}}`, `{"examples":"x"}`, `{"deprecated":"yes"}`, `{"readOnly":1}`, `{"contentEncoding":5}`, `{"const":null}`,
	`{"discriminator":{"propertyName":"kind"},"oneOf":[{"type":"object"}]}`, `{"xml":{"name":"x"},"example":5,"externalDocs":null}`,
	strings.Repeat(`{"properties":{"a":`, 150) + `{}` + strings.Repeat(`}}`, 150), `{"enum":["\u202eabc"]}`, `{"unevaluatedProperties":"x"}`, `{"contains":{},"minContains":-1}`,
}

// oddMembers are other members of a definition that some client refuses.
var oddMembers = []string{
	`"title":null`, `"title":5`, `"description":null`, `"description":["a"]`, `"annotations":null`, `"annotations":{"readOnlyHint":"yes"}`, `"annotations":{"title":null}`, `"annotations":[]`,
	`"icons":null`, `"icons":[{"src":5}]`, `"icons":[{"src":"https://example.com/i.png","sizes":"48x48"}]`, `"icons":{}`, `"execution":{"taskSupport":"maybe"}`, `"execution":null`, `"_meta":null`, `"_meta":[]`,
	`"outputSchema":null`, `"outputSchema":{"type":"array","items":{}}`, `"outputSchema":{"type":"string"}`, `"outputSchema":true`, `"outputSchema":"object"`, `"outputSchema":{"type":["object","null"]}`, `"outputSchema":{}`, `"outputSchema":[]`,
	`"inputSchema":{}`, `"inputSchema":{"type":["object","null"]}`, `"inputSchema":{"properties":{"a":{"type":"string"}}}`, `"inputSchema":{"type":"object","anyOf":[{"required":["a"]}]}`, `"inputSchema":{"type":"object","oneOf":[{"required":["a"]}]}`,
	`"inputSchema":{"type":"object","properties":{"$filter":{"type":"string","description":"which"}},"required":["$filter"]}`, `"inputSchema":{"type":"any"}`, `"inputSchema":{"type":"object","$schema":null}`,
}

// oddResults are results that some client refuses.
var oddResults = []string{
	`{"content":null}`, `{}`, `{"content":"text"}`, `{"content":{"type":"text","text":"a"}}`, `{"content":["a"]}`, `{"content":[{"type":"text"}]}`, `{"content":[{"type":"text","text":5}]}`, `{"content":[{"type":"hologram"}]}`, `{"content":[{"type":"image","data":5}]}`,
	`{"content":[],"structuredContent":[1,2]}`, `{"content":[],"structuredContent":"a"}`, `{"content":[],"structuredContent":null}`, `{"content":[],"isError":null}`, `{"content":[],"isError":"no"}`, `{"content":[],"_meta":null}`, `{"content":[null]}`, `{"content":[{"type":"text","text":"a","annotations":null}]}`,
}

// An oddTool is a definition, and the result of its calls.
type oddTool struct{ def, result string }

func oddTools() (tools []oddTool) {
	add := func(result, format string, args ...any) {
		tools = append(tools, oddTool{fmt.Sprintf(`{"name":"t%d",`, len(tools)) + fmt.Sprintf(format, args...) + `}`, result})
	}
	const fits = `{"content":[{"type":"text","text":"{}"}],"structuredContent":{}}`
	for _, s := range oddSchemas {
		add(fits, `"inputSchema":{"type":"object","properties":{"v":%s}},"outputSchema":{"type":"object","properties":{"v":{"anyOf":[{"type":"string"},%s]},"w":%s}}`, s, s, s)
		if strings.HasPrefix(s, "{") && s != "{}" { // at the top of a schema
			whole := `{"type":"object",` + s[1:]
			if strings.Contains(s, `"type":`) {
				whole = s
			}
			add(fits, `"inputSchema":%s,"outputSchema":{"type":"object","properties":{"w":{"items":%s}}}`, whole, s)
		}
	}
	for _, m := range oddMembers {
		if strings.HasPrefix(m, `"inputSchema"`) {
			add(fits, "%s", m)
			continue
		}
		add(fits, `"inputSchema":{"type":"object"},%s`, m)
	}
	for _, r := range oddResults {
		add(r, `"inputSchema":{"type":"object"}`)
	}
	for _, name := range []string{"a.b", "with space", strings.Repeat("long", 20), "ünï", "a/b", ""} {
		tools = append(tools, oddTool{fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, name), fits})
	}
	return tools
}

// oddServer answers requests as a server that never heard of a client's rules.
func oddServer() {
	tools := oddTools()
	byName := map[string]string{}
	var defs []string
	for _, t := range tools {
		var named struct{ Name string }
		_ = json.Unmarshal([]byte(t.def), &named)
		byName[named.Name] = t.result
		defs = append(defs, t.def)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name string }
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		result := `{}`
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{},"prompts":{}},"serverInfo":{"name":"odd","version":"1"}}`
		case "tools/list":
			result = `{"tools":[` + strings.Join(defs, ",") + `]}`
		case "resources/list":
			result = `{"resources":[{"uri":"odd://a","name":"a","title":null,"size":"big"},{"uri":"odd://b","name":"b","annotations":{"audience":["everybody"],"priority":"high"},"icons":[{}]},{"uri":"odd://c","name":"c","mimeType":null,"_meta":null}]}`
		case "resources/templates/list":
			result = `{"resourceTemplates":[{"uriTemplate":"odd://{x}","name":"x","description":null}]}`
		case "prompts/list":
			result = `{"prompts":[{"name":"p","arguments":null},{"name":"q","arguments":[{"name":"a","required":"yes"},{"description":"no name"}]},{"name":"r","description":5}]}`
		case "tools/call":
			result = byName[m.Params.Name]
		}
		fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", m.ID, result) //nolint:forbidigo // it is the reply
	}
}

// TestClientsAcceptOddDefinitions: through the gateway the official TypeScript client lists and
// calls hundreds of tools that it refuses by themselves, one of them enough to hide all others.
// A strict validator reads each listed schema, and the rules of model APIs hold.
func TestClientsAcceptOddDefinitions(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	settings, err := json.Marshal(map[string]any{"odd": map[string]any{"command": self, "env": map[string]string{asOdd: "1"}}})
	if err != nil {
		t.Fatal(err)
	}
	listed := len(accepted(t, "mcpServers: "+string(settings)+"\n"))
	if all := len(oddTools()); listed < all-len(oddMembers)/4 || all < 200 {
		t.Errorf("%d of %d tools are listed", listed, all)
	}
}

// accepted are the tools behind a gateway of these settings: the client lists and calls all of
// them, and their definitions are valid.
func accepted(t *testing.T, settings string) (names []string) {
	t.Helper()
	installed(t, "@modelcontextprotocol/sdk/package.json")
	script, err := filepath.Abs(filepath.Join(npm, "..", "accepts.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	command := startable(t)
	if err := os.WriteFile(command[len(command)-1], []byte(settings+"calls: {allow: ['*/*']}\nexpose: {downstream: true, prefix: '{server}__'}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var seen struct {
		Tools []struct {
			Name                      string
			InputSchema, OutputSchema json.RawMessage
		}
		Refused map[string]string
	}
	if err := json.Unmarshal(runNode(t, append([]string{script}, command...)...), &seen); err != nil {
		t.Fatal(err)
	}
	for name, why := range seen.Refused {
		t.Errorf("the client refuses a call of %s: %s", name, why)
	}
	name, argument := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`), regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	for _, tool := range seen.Tools {
		if !strings.Contains(tool.Name, "__") {
			continue
		}
		names = append(names, tool.Name)
		if !name.MatchString(tool.Name) {
			t.Errorf("the name %q is refused by model APIs", tool.Name)
		}
		var in map[string]json.RawMessage
		_ = json.Unmarshal(tool.InputSchema, &in)
		var properties map[string]any
		_ = json.Unmarshal(in["properties"], &properties)
		for key := range properties {
			if !argument.MatchString(key) {
				t.Errorf("%s: the argument %q is refused by model APIs", tool.Name, key)
			}
		}
		for _, schema := range []json.RawMessage{tool.InputSchema, tool.OutputSchema} {
			if schema == nil {
				continue
			}
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(schema)))
			if err != nil {
				t.Fatal(err)
			}
			c := jsonschema.NewCompiler()
			if err := c.AddResource("https://example.com/s.json", v); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Compile("https://example.com/s.json"); err != nil {
				t.Errorf("%s: %s: %v", tool.Name, schema, err)
			}
		}
	}
	return names
}

// TestClientsAcceptAPIs: the client lists and calls each operation of thirty documents in the
// style of those that vendors publish. Each call is requested, and each answer arrives, though
// few are what the documents promise.
func TestClientsAcceptAPIs(t *testing.T) {
	var mu sync.Mutex
	requests := map[string]bool{}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		requests[r.Method+" "+r.URL.Path] = true
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":null,"amount":5,"href":"not a URI","items":{},"resultCode":"A"}`)
	}))
	defer api.Close()
	all, err := os.ReadFile(filepath.Join("testdata", "apis.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	entries, dir := map[string]any{}, t.TempDir()
	for i, doc := range strings.Split(string(all), "\n---\n") {
		file := filepath.Join(dir, fmt.Sprintf("%d.yaml", i))
		if err := os.WriteFile(file, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		entries[fmt.Sprintf("api%d", i)] = map[string]any{"source": file, "url": fmt.Sprintf("%s/%d", api.URL, i)}
	}
	settings, err := json.Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	names := accepted(t, "openapi: "+string(settings)+"\n")
	if len(entries) < 30 || len(names) < 45 || len(requests) != len(names) {
		t.Errorf("%d documents, %d tools, %d of which are requested: %q\n%q", len(entries), len(names), len(requests), names, slices.Sorted(maps.Keys(requests)))
	}
}
