package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/patchbay-mcp/patchbay/internal/discover"
)

func (c *client) read1(uri string) (mime, text, fault string) {
	c.t.Helper()
	m := c.request("resources/read", map[string]any{"uri": uri})
	if m.Error != nil {
		return "", "", m.Error.Message
	}
	var r struct {
		Contents []struct {
			MIME string `json:"mimeType"`
			Text string `json:"text"`
		} `json:"contents"`
	}
	if err := json.Unmarshal(m.Result, &r); err != nil {
		c.t.Fatal(err)
	}
	return r.Contents[0].MIME, r.Contents[0].Text, ""
}

func TestResources(t *testing.T) {
	c := connect(t, options{})
	c.call("save_graph", `{"graph":`+orderGraph+`}`)
	id := c.call("run_graph", `{"name":"buy","arguments":{"article":"tea"}}`).text("run_id")
	for uri, want := range map[string][2]string{
		"patchbay://guide":                    {"text/markdown", "# How to author a graph"},
		"patchbay://nodes/transform":          {"application/json", `"id":"transform"`},
		"patchbay://nodes/mcp:shop/order":     {"application/json", `"id":"mcp:shop/order"`},
		"patchbay://nodes/mcp%3Ashop%2Forder": {"application/json", `"id":"mcp:shop/order"`},
		"patchbay://graphs/buy":               {"application/yaml", "Buys an article"},
		"patchbay://runs/" + id:               {"application/json", `"status":"succeeded"`},
	} {
		if mime, text, fault := c.read1(uri); mime != want[0] || !strings.Contains(text, want[1]) {
			t.Errorf("%s: %s %.200s %s", uri, mime, text, fault)
		}
	}
	for uri, want := range map[string]string{
		"patchbay://nodes/nonsense": "nonsense", "patchbay://graphs/nonsense": "nonsense", "patchbay://runs/run_0": "run_0", "patchbay://nothing": "",
	} {
		if _, _, fault := c.read1(uri); fault == "" || !strings.Contains(fault, want) {
			t.Errorf("%s: %q", uri, fault)
		}
	}
	m := c.request("resources/list", map[string]any{})
	if !strings.Contains(string(m.Result), `"patchbay://guide"`) {
		t.Error(string(m.Result))
	}
	m = c.request("resources/templates/list", map[string]any{})
	for _, uri := range []string{"patchbay://nodes/{+id}", "patchbay://graphs/{name}", "patchbay://runs/{run_id}"} {
		if !strings.Contains(string(m.Result), uri) {
			t.Errorf("%s is not listed: %s", uri, m.Result)
		}
	}
}

func TestPrompt(t *testing.T) {
	c := connect(t, options{})
	m := c.request("prompts/get", map[string]any{"name": "author_graph", "arguments": map[string]any{"task": "brew tea"}})
	for _, part := range []string{"brew tea", "validate_graph", "save_graph"} {
		if !strings.Contains(string(m.Result), part) {
			t.Errorf("the prompt does not say %s", part)
		}
	}
	for _, arguments := range []map[string]any{nil, {}, {"task": " "}, {"tsak": "brew tea"}} {
		m := c.request("prompts/get", map[string]any{"name": "author_graph", "arguments": arguments})
		if m.Error == nil || m.Error.Code != jsonrpc.CodeInvalidParams || !strings.Contains(m.Error.Message, "task") {
			t.Errorf("with the arguments %v: %s, %+v", arguments, m.Result, m.Error)
		}
	}
}

// What a server says first is the first section of the guide.
func TestInstructionsAreTheFirstSectionOfTheGuide(t *testing.T) {
	c := connect(t, options{})
	_, guide, fault := c.read1(guideURI)
	if begin := "# How to author a graph\n\n## In short\n" + c.instructions + "\n## "; c.instructions == "" || !strings.HasPrefix(guide, begin) {
		t.Errorf("the guide begins with %.1200s, the instructions are %s; %s", guide, c.instructions, fault)
	}
}

// The graphs of the guide are right.
func TestGuide(t *testing.T) {
	c := connect(t, options{})
	for i, part := range strings.Split(discover.Guide().Whole(), "```") {
		text, ok := strings.CutPrefix(part, "yaml\nname:")
		if i%2 == 0 || !ok {
			continue
		}
		text = strings.NewReplacer("server: workspace", "server: shop", "tool: list_directory", "tool: order", "args: {path:", "args: {article:").Replace("name:" + text)
		b, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if r := c.call("validate_graph", `{"graph":`+string(b)+`}`); r.get("valid") != "true" {
			t.Errorf("a graph of the guide: %s", r.Text)
		}
	}
}
