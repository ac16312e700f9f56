package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
)

// legacyNotFound is the code for an unknown resource before 2026-07-28, which has none of
// its own: there the params are invalid.
const legacyNotFound = -32002

// isUnknown reports whether a fault says that what a URI names does not exist.
func isUnknown(f *diag.Fault) bool {
	return strings.HasPrefix(f.Code, "unknown-")
}

// notFound is the error for a resource that does not exist.
func notFound(uri string, why error) error {
	data, err := json.Marshal(map[string]string{"uri": uri})
	if err != nil {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Resource not found: " + uri + ": " + why.Error(), Data: data}
}

// coded gives the error for an unknown resource the code of the client's protocol.
func coded(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if err == nil || !strings.HasPrefix(method, "resources/") || isModern(req) {
			return res, err
		}
		if e, ok := errors.AsType[*jsonrpc.Error](err); ok && e.Code == jsonrpc.CodeInvalidParams && strings.HasPrefix(e.Message, "Resource not found") {
			older := *e
			older.Code = legacyNotFound
			return nil, &older
		}
		return res, err
	}
}
