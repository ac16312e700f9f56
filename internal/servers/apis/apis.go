// Package apis is what the APIs that become tools have in common, whether they are
// described by GraphQL or by OpenAPI: a [Client] that sends their requests within
// limits, [Read] for the files and URLs that describe them, [Names] for the names of
// their tools, [CheckArguments] for their calls, and [Publish] for the tools of an MCP server.
//
// It knows nothing of the configuration or of what the operator allows: the
// transport of a Client does. It imports diag and files.
package apis

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/servers/listing"
	"github.com/patchbay-mcp/patchbay/schema"
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

// A Served tool is one of an API, with what calls it.
type Served struct {
	*mcp.Tool
	Handler mcp.ToolHandler
}

// maxNotes is how many things [Publish] says of the tools of a server.
const maxNotes = 20

// Publish gives a server tools in the form that clients accept, and says what of them is left
// out. A result that does not fit what is listed is text.
func Publish(server *mcp.Server, tools []Served, note func(string)) error {
	var notes, names []string
	var sizes []int
	for _, t := range tools {
		out, _ := t.OutputSchema.(json.RawMessage)
		sizes = append(sizes, len(out))
	}
	most := listing.MaxOutput(sizes)
	for _, t := range tools {
		def, err := json.Marshal(t.Tool)
		if err != nil {
			return fmt.Errorf("tool %q: %w", t.Name, err)
		}
		listed := *t.Tool
		listed.Name = listing.Name(t.Name)
		def, odd, err := listing.Tool(def, listed.Name, most)
		if err == nil && slices.Contains(names, listed.Name) {
			err = fmt.Errorf("another tool is listed as %s", listed.Name)
		}
		if err != nil {
			notes = append(notes, fmt.Sprintf("the tool %s is left out: %v", t.Name, err))
			continue
		}
		if listed.Name != t.Name {
			odd = append(odd, "it is listed as "+listed.Name)
		}
		for _, text := range odd {
			notes = append(notes, fmt.Sprintf("the tool %s: %s", t.Name, text))
		}
		names = append(names, listed.Name)
		d := schema.Read(def)
		out := d.Get("outputSchema").Raw()
		listed.Title, listed.Description, listed.InputSchema, listed.OutputSchema = d.Get("title").Text(), d.Get("description").Text(), d.Get("inputSchema").Raw(), nil
		if out != nil {
			listed.OutputSchema = out
		}
		if err := Add(server, &listed, fitting(t.Handler, out)); err != nil {
			return err
		}
	}
	if more := len(notes) - maxNotes; more > 0 {
		notes = append(notes[:maxNotes], fmt.Sprintf("and %d more", more))
	}
	if note != nil {
		for _, text := range notes {
			note(text)
		}
	}
	return nil
}

// fitting is a handler whose results fit an outputSchema, or are text.
func fitting(handler mcp.ToolHandler, outputSchema json.RawMessage) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		res, err := handler(ctx, r)
		if err != nil {
			return nil, err
		}
		structured, _ := res.StructuredContent.(json.RawMessage)
		if note := listing.Misfit(structured, outputSchema, res.IsError); note != "" {
			return &mcp.CallToolResult{IsError: true, Content: append(slices.Clip(res.Content), &mcp.TextContent{Text: note})}, nil
		}
		return res, nil
	}
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
