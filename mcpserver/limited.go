package mcpserver

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

// A limiter keeps from principals what their token does not allow: it is neither listed
// nor found under its name. It costs the local user nothing.
type limiter struct{ g *gateway }

// requests answers requests for what a principal may not use as if it did not exist. What
// passes through the gateway is judged there, when it is known where it leads.
func (l limiter) requests(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	id := httpd.Caller(req)
	if id == nil {
		return next(ctx, method, req)
	}
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		if !id.Rights.May(l.g.pb.ScopeOf(p.Name)) || l.g.pb.Views.HidesGraph(ctx, p.Name) {
			return nil, invalidParams("unknown tool %q", p.Name)
		}
	case *mcp.GetPromptParams:
		if !id.Rights.May(access.Read) {
			return nil, invalidParams("unknown prompt %q", p.Name)
		}
	case *mcp.CompleteParams:
		if !id.Rights.May(access.Read) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
		}
	case *mcp.ReadResourceParams:
		if !id.Rights.May(access.Read) {
			return nil, mcp.ResourceNotFoundError(p.URI)
		}
	}
	return next(ctx, method, req)
}

func invalidParams(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// lists leaves out of lists what a principal may not use.
func (l limiter) lists(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	res, err := next(ctx, method, req)
	id := httpd.Caller(req)
	if id == nil || err != nil {
		return res, err
	}
	t := l.g.table.Load()
	switch r := res.(type) {
	case *mcp.ListToolsResult:
		out := *r
		out.Tools = kept(r.Tools, func(tool *mcp.Tool) bool { return l.mayCall(ctx, id, tool.Name) })
		return &out, nil
	case *mcp.ListPromptsResult:
		out := *r
		out.Prompts = kept(r.Prompts, func(p *mcp.Prompt) bool { return l.mayRead(id, t.prompts[p.Name]) })
		return &out, nil
	case *mcp.ListResourcesResult:
		out := *r
		out.Resources = kept(r.Resources, func(p *mcp.Resource) bool { return l.mayRead(id, t.resources[p.URI]) })
		return &out, nil
	case *mcp.ListResourceTemplatesResult:
		out := *r
		out.ResourceTemplates = kept(r.ResourceTemplates, func(p *mcp.ResourceTemplate) bool { return l.mayRead(id, t.templates[p.URITemplate]) })
		return &out, nil
	}
	return res, nil
}

// kept are the items of a list for which keep is true.
func kept[T any](list []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(item T) bool { return !keep(item) })
}

// mayCall reports whether a principal may call a tool of this server.
func (l limiter) mayCall(ctx context.Context, id *access.Identity, name string) bool {
	pb := l.g.pb
	if !id.Rights.May(pb.ScopeOf(name)) {
		return false
	}
	if r := l.g.table.Load().tools[name]; r != nil {
		return !pb.Views.Hidden(ctx, r.server, r.name)
	}
	return pb.IsOperation(name) || pb.Views.MayUseGraph(ctx, name)
}

// mayRead reports whether a principal may have what a route leads to; without a route it
// is one of Patchbay's own.
func (l limiter) mayRead(id *access.Identity, r *route) bool {
	return id.Rights.May(access.Read) && (r == nil || id.Rights.Tool(r.server, r.name))
}

// hides reports whether the principal of a request may not have what a route leads to.
func (g *gateway) hides(req mcp.Request, r *route) bool {
	id := httpd.Caller(req)
	return id != nil && !limiter{g}.mayRead(id, r)
}
