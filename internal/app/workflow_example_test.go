package app_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
)

// TestLogCallsExample writes a call with its answer to a file server beside. It needs that
// server, so it has no test of its own next to it.
func TestLogCallsExample(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "workflows", "log_calls.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	d, written := newDesk(), make(chan string, 1)
	files := mcp.NewServer(&mcp.Implementation{Name: "filesystem", Version: "1"}, nil)
	files.AddTool(&mcp.Tool{Name: "write_file", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		written <- string(r.Params.Arguments)
		return &mcp.CallToolResult{}, nil
	})
	pb := startedOver(t, app.Options{Workflows: documents(t, string(text))}, map[string]*mcp.Server{"desk": d.server, "filesystem": files})
	if _, err := pb.CallDownstream(operator(t), execution.GatewayCall{Server: "desk", Tool: "read", Arguments: json.RawMessage(`{"n":1}`)}); err != nil {
		t.Fatal(err)
	}
	got := <-written
	for _, want := range []string{`"path":"calls/`, `\"name\": \"read\"`, "mail a@b.example read"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}
