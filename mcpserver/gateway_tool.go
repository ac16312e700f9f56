package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/schema"
)

// register makes a tool that passes through known to the SDK's server. That reads the
// schema of its arguments only to compare them with the Mcp-Param headers of a request,
// so any other tool has none there.
func (g *gateway) register(name string, definition json.RawMessage) {
	if bytes.Contains(definition, []byte(`"x-mcp-header"`)) && g.add(name, schema.Read(definition).Get("inputSchema").Raw()) {
		return
	}
	g.add(name, json.RawMessage(`{"type":"object"}`))
}

// add reports whether the SDK's server takes a tool: it panics if its schema names
// headers that cannot be.
func (g *gateway) add(name string, input json.RawMessage) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	g.server.AddTool(&mcp.Tool{Name: name, InputSchema: input}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("the tool is gone")
	})
	return true
}
