// Package apis is what the APIs that become tools have in common, whether they are
// described by GraphQL or by OpenAPI: a [Client] that sends their requests within
// limits, [Read] for the files and URLs that describe them, [Names] for the names of
// their tools, and [Add] for the tools of an MCP server.
//
// It knows nothing of schemas, of the configuration or of what the operator allows: the
// transport of a Client does. It imports diag and files.
package apis

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// EndpointKey is the key in _meta of a tool that holds what a call of it requests, such as
// "GET /pets/{petId}". A tool of that name that requests something else is another tool.
const EndpointKey = "patchbay/endpoint"

// Add gives a server a tool. A panic of the handler is a failed reply, not the end of
// the process. The error is that of a definition which the SDK refuses.
func Add(server *mcp.Server, tool *mcp.Tool, handler mcp.ToolHandler) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("tool %q: %v", tool.Name, p)
		}
	}()
	server.AddTool(tool, func(ctx context.Context, r *mcp.CallToolRequest) (res *mcp.CallToolResult, err error) {
		defer func() {
			if p := recover(); p != nil {
				res, err = Failure("%s failed unexpectedly: %v", tool.Name, p), nil
			}
		}()
		return handler(ctx, r)
	})
	return nil
}

// Failure is the reply of a call that failed: a text.
func Failure(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

// Success is the reply that has a JSON object as it is, and as text for clients that do
// not read structured content.
func Success(object json.RawMessage) *mcp.CallToolResult {
	return &mcp.CallToolResult{StructuredContent: object, Content: []mcp.Content{&mcp.TextContent{Text: string(object)}}}
}
