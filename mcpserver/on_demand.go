package mcpserver

import (
	"context"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
)

// Keys in _meta of a tool, for clients that load definitions on demand.
const (
	alwaysLoadKey = "anthropic/alwaysLoad"
	searchHintKey = "anthropic/searchHint"
)

// maxSearchHint is how many characters of a hint clients read.
const maxSearchHint = 60

// loadedAtOnce is the _meta of a tool that clients are to load at once, with what they find
// it by; nil where nothing is given.
func loadedAtOnce(sought string) mcp.Meta {
	if sought == "" {
		return nil
	}
	return mcp.Meta{alwaysLoadKey: true, searchHintKey: diag.Cut(diag.OneLine(sought), maxSearchHint)}
}

// onDemand leaves it to clients which definitions they load at once, where the operator says so.
func onDemand(pb *app.App) step {
	return func(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		r, lists := res.(*mcp.ListToolsResult)
		if cfg := pb.Config(); err != nil || !lists || cfg == nil || !cfg.Expose.OnDemand {
			return res, err
		}
		out := *r
		out.Tools = slices.Clone(r.Tools)
		for i, tool := range out.Tools {
			if tool.Meta[alwaysLoadKey] == nil {
				continue
			}
			later := *tool
			later.Meta = maps.Clone(tool.Meta)
			delete(later.Meta, alwaysLoadKey)
			out.Tools[i] = &later
		}
		return &out, nil
	}
}
