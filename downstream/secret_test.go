package downstream

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/engine"
)

// TestSecretsInResultsAreHidden has a server tell what it was given in
// confidence, as tools that print their environment do.
func TestSecretsInResultsAreHidden(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "leaky", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "env", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{
			StructuredContent: json.RawMessage(`{"z":9007199254740993,"TOKEN":"hunter2hunter2"}`),
			Content:           []mcp.Content{&mcp.TextContent{Text: "TOKEN=hunter2hunter2"}},
		}, nil
	})
	h := New([]Server{{Name: "leaky", InProcess: server}}, &Options{RedactJSON: func(b json.RawMessage) json.RawMessage {
		return bytes.ReplaceAll(b, []byte("hunter2hunter2"), []byte("***"))
	}})
	h.Start(t.Context())
	defer h.Close()
	res, err := h.CallTool(t.Context(), engine.Call{Server: "leaky", Tool: "env", Args: json.RawMessage(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(res.Structured), `{"z":9007199254740993,"TOKEN":"***"}`; got != want {
		t.Errorf("structured content: got %s, want %s", got, want)
	}
	if bytes.Contains(res.Content[0], []byte("hunter2")) {
		t.Errorf("content: %s", res.Content[0])
	}
}
