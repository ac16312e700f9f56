package mcpserver

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// guideTTL is how long a client may keep the guide, in milliseconds: it changes with the
// version of Patchbay.
const guideTTL = 3_600_000

// private says who may cache what: results depend on who asks, but for the guide and for
// what the server says of itself.
func private(_ context.Context, req mcp.Request, c *mcp.Cacheable) {
	if _, itself := req.GetParams().(*mcp.DiscoverParams); !itself && c.CacheScope == "" {
		c.CacheScope = "private"
	}
}

// declared answers requests for what a server does not offer as MCP wants it: such a method
// does not exist. The SDK answers some of them with an empty list.
func declared(offered *mcp.ServerCapabilities) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			feature, _, _ := strings.Cut(method, "/")
			missing := false
			switch feature {
			case "prompts":
				missing = offered.Prompts == nil
			case "resources":
				missing = offered.Resources == nil
			case "completion":
				missing = offered.Completions == nil
			case "logging":
				missing = offered.Logging == nil
			}
			if missing {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: method + ": this server does not offer it"}
			}
			return next(ctx, method, req)
		}
	}
}
