package mcpserver

import (
	"context"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

// appsExtension is the extension of MCP by which a client shows a page for the results of a
// tool.
const appsExtension = "io.modelcontextprotocol/ui"

const (
	appURI  = "ui://patchbay/graph"
	appType = "text/html;profile=mcp-app"
)

// appTools are the tools whose results the page shows.
var appTools = []string{"validate_graph", "run_graph", "get_run", "get_graph"}

// An appPage is the page, as HTML. It is offered to clients that show pages: their lists name
// it. For other clients nothing is different.
type appPage func() string

// read answers requests for the page. It is in front of what masks replies: the page is part
// of the program and has no secrets.
func (p appPage) read(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	if asked, ok := req.GetParams().(*mcp.ReadResourceParams); !ok || asked.URI != appURI || !mayShow(req) {
		return next(ctx, method, req)
	}
	r := text(appURI, appType, p())
	r.Contents[0].Meta = pageMeta
	r.Cacheable = mcp.Cacheable{TTLMs: guideTTL, CacheScope: "public"}
	return r, nil
}

// lists names the page in the lists of tools and of resources.
func (p appPage) lists(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	res, err := next(ctx, method, req)
	if err != nil {
		return res, err
	}
	switch r := res.(type) {
	case *mcp.ListToolsResult:
		if mayShow(req) {
			out := *r
			out.Tools = slices.Clone(r.Tools)
			for i, tool := range out.Tools {
				if slices.Contains(appTools, tool.Name) {
					out.Tools[i] = withPage(tool)
				}
			}
			return &out, nil
		}
	case *mcp.ListResourcesResult:
		if r.NextCursor == "" && mayShow(req) {
			out := *r
			out.Resources = append(slices.Clone(r.Resources), &mcp.Resource{URI: appURI, Name: "graph_app", Title: "A graph and its run", MIMEType: appType, Size: int64(len(p())), Meta: pageMeta})
			return &out, nil
		}
	}
	return res, nil
}

// mayShow reports whether the client of a request shows pages, and may have this one.
func mayShow(req mcp.Request) bool {
	id := httpd.Caller(req)
	return showsPages(req) && (id == nil || id.Rights.May(access.Read))
}

// withPage is a tool whose results the page shows.
func withPage(tool *mcp.Tool) *mcp.Tool {
	shown := *tool
	shown.Meta = mcp.Meta{"ui": map[string]any{"resourceUri": appURI}}
	maps.Copy(shown.Meta, tool.Meta)
	return &shown
}

// pageMeta says that the page loads nothing from anywhere.
var pageMeta = mcp.Meta{"ui": map[string]any{"csp": map[string]any{"connectDomains": []string{}, "resourceDomains": []string{}}, "prefersBorder": true}}

// showsPages reports whether the client of a request shows pages.
func showsPages(req mcp.Request) bool {
	var settings any
	if p := req.GetParams(); p != nil && isModern(req) {
		capabilities, _ := p.GetMeta()[mcp.MetaKeyClientCapabilities].(map[string]any)
		extensions, _ := capabilities["extensions"].(map[string]any)
		settings = extensions[appsExtension]
	} else if init := opened(req); init != nil && init.Capabilities != nil {
		settings = init.Capabilities.Extensions[appsExtension]
	}
	members, _ := settings.(map[string]any)
	types, _ := members["mimeTypes"].([]any)
	return slices.Contains(types, any(appType))
}
