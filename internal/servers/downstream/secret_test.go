package downstream

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/run"
)

// TestResultsAreExact has a server tell what it was given in confidence: graphs
// compute with it, and it is masked where it leaves the program.
func TestResultsAreExact(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "leaky", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "env", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{
			StructuredContent: json.RawMessage(`{"z":9007199254740993,"TOKEN":"hunter2hunter2"}`),
			Content:           []mcp.Content{&mcp.TextContent{Text: "TOKEN=hunter2hunter2"}},
		}, nil
	})
	h := New([]Server{{Name: "leaky", InProcess: server}}, &Options{Redact: func(s string) string {
		return strings.ReplaceAll(s, "hunter2hunter2", "***")
	}})
	h.Start(t.Context())
	defer h.Close()
	res, err := h.CallTool(t.Context(), run.Call{Server: "leaky", Tool: "env", Args: json.RawMessage(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(res.Structured), `{"z":9007199254740993,"TOKEN":"hunter2hunter2"}`; got != want {
		t.Errorf("structured content: got %s, want %s", got, want)
	}
	if !strings.Contains(string(res.Content[0]), "TOKEN=hunter2hunter2") {
		t.Errorf("content: %s", res.Content[0])
	}
}
