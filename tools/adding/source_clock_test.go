package adding

import (
	"context"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Clock is a server in this process. Its tool tells the time.
func Clock(now func() time.Time) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "clock", Version: "1.0.0"}, nil)
	s.AddTool(&mcp.Tool{
		Name:         "now",
		Description:  "Returns the time, in the form 2026-01-31T09:30:00Z.",
		InputSchema:  json.RawMessage(`{"type":"object","properties":{}}`),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"time":{"type":"string"}},"required":["time"]}`),
		Annotations:  &mcp.ToolAnnotations{ReadOnlyHint: true},
	}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		b, err := json.Marshal(map[string]string{"time": now().UTC().Format(time.RFC3339)})
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(b), Content: []mcp.Content{&mcp.TextContent{Text: string(b)}}}, err
	})
	return s
}
