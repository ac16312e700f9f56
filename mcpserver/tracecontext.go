package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/propagation"
)

// inTrace makes a call part of the trace that the client names, in _meta or in the
// headers of its request.
func inTrace(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method != "tools/call" {
			return next(ctx, method, req)
		}
		w3c := propagation.TraceContext{}
		if extra := req.GetExtra(); extra != nil && extra.Header != nil {
			ctx = w3c.Extract(ctx, propagation.HeaderCarrier(extra.Header))
		}
		if params, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok && params != nil && len(params.Meta) > 0 {
			meta := propagation.MapCarrier{}
			for _, key := range w3c.Fields() {
				if text, ok := params.Meta[key].(string); ok {
					meta[key] = text
				}
			}
			ctx = w3c.Extract(ctx, meta)
		}
		return next(ctx, method, req)
	}
}
