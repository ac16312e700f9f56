package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/mcpserver"
)

// drawGraph returns what the tool draw answers: a text, and a block of each other type.
const drawGraph = `{"name":"drawn","description":"Draws","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"all":{"type":"array"}},"required":["all"]},"nodes":[
	{"id":"entry","type":"entry","next":"draw"},
	{"id":"draw","type":"mcp","server":"pictures","tool":"draw","args":{},"next":"exit"},
	{"id":"exit","type":"exit","result":{"expr":"{\"all\": $.draw, \"like\": {\"type\": \"image\", \"data\": \"no\"}}"}}]}`

// drawing connects a client to a Patchbay over a server that draws.
func drawing(t *testing.T, redact func(json.RawMessage) json.RawMessage) func(tool, args string) *mcp.CallToolResult {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "pictures", Version: "1"}, nil)
	picture := bytes.Repeat([]byte("pixel"), 10_000)
	server.AddTool(&mcp.Tool{Name: "draw", InputSchema: json.RawMessage(`{"type":"object"}`), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: "drawn"},
			&mcp.ImageContent{Data: picture, MIMEType: "image/png"},
			&mcp.AudioContent{Data: []byte("it says open-sesame"), MIMEType: "audio/wav"},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "mem:a", Text: "a resource"}},
			&mcp.ResourceLink{URI: "mem:open-sesame", Name: "b"},
		}}, nil
	})
	doc, found := graph.Parse("document.json", drawGraph)
	if found.HasErrors() {
		t.Fatal(found)
	}
	pb := app.New(app.Options{Servers: []downstream.Server{{Name: "pictures", InProcess: server}}, Documents: []*graph.Document{doc}})
	t.Cleanup(pb.Close)
	pb.Start(t.Context())
	near, far := mcp.NewInMemoryTransports()
	if _, err := mcpserver.New(pb, mcpserver.Options{Redact: redact}).Connect(t.Context(), far, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return func(tool, args string) *mcp.CallToolResult {
		t.Helper()
		r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
		if err != nil || r.IsError {
			t.Fatalf("%s: %v %+v", tool, err, r)
		}
		return r
	}
}

// kinds are the types of the content of a reply, with what tells its blocks apart.
func kinds(r *mcp.CallToolResult) string {
	var all []string
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			all = append(all, "text")
		case *mcp.ImageContent:
			all = append(all, c.MIMEType+" "+string(c.Data[:5]))
		case *mcp.AudioContent:
			all = append(all, c.MIMEType+" "+string(c.Data))
		case *mcp.EmbeddedResource:
			all = append(all, "resource "+c.Resource.Text)
		case *mcp.ResourceLink:
			all = append(all, "link "+c.URI)
		}
	}
	return strings.Join(all, ", ")
}

func TestContentBlocksAreCarried(t *testing.T) {
	call := drawing(t, nil)
	const carried = "text, image/png pixel, audio/wav it says open-sesame, resource a resource, link mem:open-sesame"
	run := call("run_graph", `{"graph":`+drawGraph+`}`)
	var id struct {
		RunID string `json:"run_id"`
	}
	structured, _ := json.Marshal(run.StructuredContent)
	if err := json.Unmarshal(structured, &id); err != nil {
		t.Fatal(err)
	}
	for what, r := range map[string]*mcp.CallToolResult{
		"a published graph": call("drawn", `{}`),
		"run_graph":         run,
		"run_node":          call("run_node", `{"id":"mcp:pictures/draw","arguments":{}}`),
		"get_run":           call("get_run", `{"run_id":"`+id.RunID+`"}`),
		"get_run of a node": call("get_run", `{"run_id":"`+id.RunID+`","node":"draw"}`),
		"a part of a run":   call("get_run", `{"run_id":"`+id.RunID+`","expr":"draw"}`),
	} {
		if got := kinds(r); got != carried {
			t.Errorf("%s carries %s", what, got)
		}
		text := r.Content[0].(*mcp.TextContent).Text
		for _, want := range []string{`"data":"(content[1] of this reply, `, `"data":"(content[2] of this reply, `, `"text":"a resource"`} {
			if !strings.Contains(text, want) {
				t.Errorf("the text of %s has no %s: %.2000s", what, want, text)
			}
		}
		if strings.Contains(text, strings.Repeat("cGl4ZWxwaXhlbHBpeGVs", 200)) { // a trace shows the beginning of an output
			t.Errorf("the text of %s repeats the base64 of the picture: %.2000s", what, text)
		}
	}
	structured, _ = json.Marshal(call("drawn", `{}`).StructuredContent)
	if !strings.Contains(string(structured), "cGl4ZWxwaXhlbHBpeGVs") || !strings.Contains(string(structured), `"like":{"data":"no","type":"image"}`) {
		t.Errorf("the structured content is not the result: %.300s", structured)
	}
}

func TestContentBlocksAreMasked(t *testing.T) {
	call := drawing(t, func(b json.RawMessage) json.RawMessage {
		return bytes.ReplaceAll(b, []byte("open-sesame"), []byte("***"))
	})
	const carried = "text, image/png pixel, audio/wav it says ***, resource a resource, link mem:***, text"
	if got := kinds(call("drawn", `{}`)); got != carried {
		t.Errorf("the graph carries %s", got)
	}
}
