package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/discover"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/library"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/run"
)

const (
	guideURI  = "patchbay://guide"
	nodesURI  = "patchbay://nodes/"
	graphsURI = "patchbay://graphs/"
	runsURI   = "patchbay://runs/"

	authorPrompt = "author_graph"
)

// offerResources says that a server has resources and prompts, and completes their arguments.
func offerResources(o *mcp.ServerOptions, pb *app.App) {
	o.Capabilities.Resources = &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true}
	o.Capabilities.Prompts = &mcp.PromptCapabilities{ListChanged: true}
	o.Capabilities.Completions = &mcp.CompletionCapabilities{}
	o.CompletionHandler = func(ctx context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
		return completion(ctx, pb, r.Params)
	}
}

// addResources publishes the guide, the catalog, saved graphs and runs as
// resources, and the authoring prompt.
func addResources(s *mcp.Server, pb *app.App) {
	s.AddResource(&mcp.Resource{URI: guideURI, Name: "guide", Title: "How to author graphs", MIMEType: "text/markdown"},
		func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			r := text(req.Params.URI, "text/markdown", readerFrom(ctx).text(discover.Guide().Text()))
			r.Cacheable = mcp.Cacheable{TTLMs: guideTTL, CacheScope: "public"}
			return r, nil
		})
	template(s, nodesURI+"{+id}", "node", "A node of the catalog", func(ctx context.Context, id string) (string, any, *diag.Fault) {
		d, fault := pb.Details(ctx, discover.DetailsInput{Nodes: []plans.NodeRef{{ID: id}}})
		if fault != nil {
			return "", nil, fault
		}
		if d.Nodes[0].Error != "" {
			return "", nil, diag.Faultf(run.CodeUnknownNode, "unknown node %q", id)
		}
		return "application/json", d.Nodes[0], nil
	})
	template(s, graphsURI+"{name}", "graph", "A saved graph", func(ctx context.Context, name string) (string, any, *diag.Fault) {
		g, fault := pb.GetGraph(ctx, library.GetGraphInput{Name: name})
		if fault != nil {
			return "", nil, fault
		}
		return "application/yaml", g.Graph, nil
	})
	template(s, runsURI+"{run_id}", "run", "A recorded run", func(ctx context.Context, id string) (string, any, *diag.Fault) {
		r, fault := pb.GetRun(ctx, execution.GetRunInput{RunID: id})
		return "application/json", r, fault
	})
	s.AddPrompt(&mcp.Prompt{
		Name: authorPrompt, Title: "Author a graph", Description: "Build, check, run and save a graph for a task.",
		Arguments: []*mcp.PromptArgument{{Name: "task", Description: "what the tool should do", Required: true}},
	}, func(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if strings.TrimSpace(req.Params.Arguments["task"]) == "" {
			return nil, invalidParams(`the prompt author_graph needs the argument "task": what the tool should do`)
		}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{
			Text: "Build a Patchbay graph for this task and save it as a tool:\n\n" + req.Params.Arguments["task"] + "\n\n" + readerFrom(ctx).text(discover.Guide().Text()),
		}}}}, nil
	})
}

// template publishes resources; the URI names one.
func template(s *mcp.Server, uri, name, title string, read func(ctx context.Context, key string) (mime string, v any, fault *diag.Fault)) {
	prefix, _, _ := strings.Cut(uri, "{")
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: uri, Name: name, Title: title}, func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		key, err := url.PathUnescape(strings.TrimPrefix(req.Params.URI, prefix))
		if err != nil {
			return nil, mcp.ResourceNotFoundError(req.Params.URI)
		}
		mime, v, fault := read(ctx, key)
		if fault != nil && isUnknown(fault) {
			return nil, notFound(req.Params.URI, fault)
		}
		if fault != nil {
			return nil, fmt.Errorf("%s: %w", req.Params.URI, fault)
		}
		if s, ok := v.(string); ok {
			return text(req.Params.URI, mime, s), nil
		}
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		return text(req.Params.URI, mime, string(bounded(ctx, b))), nil
	})
}

func text(uri, mime, content string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mime, Text: content}}}
}

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
func coded(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
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
