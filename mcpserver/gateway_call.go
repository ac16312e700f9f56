package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/internal/servers/listing"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/schema"
)

// A passedResult is a result as a downstream server sent it. Its base is what the SDK asks
// of a result.
type passedResult struct {
	mcp.CallToolResult
	raw   json.RawMessage
	added string // members that the client's protocol requires and raw lacks
}

// known is the meta of every passed result: the SDK adds nothing to it.
var known = mcp.Meta{mcp.MetaKeyServerInfo: nil}

// GetMeta returns what keeps the SDK from adding to the result.
func (r *passedResult) GetMeta() map[string]any { return known }

// SetMeta changes nothing.
func (r *passedResult) SetMeta(map[string]any) {}

// MarshalJSON returns the bytes of the downstream server.
func (r *passedResult) MarshalJSON() ([]byte, error) {
	if r.added == "" {
		return r.raw, nil
	}
	out := make([]byte, 0, len(r.raw)+len(r.added)+1)
	out = append(append(out, '{'), r.added...)
	if string(r.raw) != "{}" {
		out = append(out, ',')
	}
	return append(out, r.raw[1:]...), nil
}

// What results of 2026-07-28 have, and those of servers of older protocols lack.
const (
	complete  = `"resultType":"complete"`
	cacheable = `,"ttlMs":0,"cacheScope":"private"`
)

// passOn is a result for a client.
func passOn(req mcp.Request, raw json.RawMessage, more string) *passedResult {
	r := &passedResult{raw: raw}
	if isModern(req) && schema.Read(raw).Get("resultType") == nil {
		r.added = complete + more
	}
	return r
}

// isModern reports whether the client of a request speaks 2026-07-28 or later.
func isModern(req mcp.Request) bool {
	p := opened(req)
	return p != nil && p.ProtocolVersion >= multiRoundTrip
}

// opened is how the client of a request has opened its session, nil if it has not.
func opened(req mcp.Request) *mcp.InitializeParams {
	if s, ok := req.GetSession().(*mcp.ServerSession); ok {
		return s.InitializeParams()
	}
	return nil
}

// handle answers requests for what passes through; next answers the others.
func (g *gateway) handle(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	t := g.await(ctx, req)
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		if r := t.tools[p.Name]; r != nil {
			return g.call(ctx, req.(*mcp.CallToolRequest), r)
		}
	case *mcp.GetPromptParams:
		if r := t.prompts[p.Name]; r != nil && g.hides(req, r) {
			return nil, invalidParams("unknown prompt %q", p.Name)
		} else if r != nil {
			return g.ask(ctx, req, r, method, p.GetMeta(), &promptParams{r.name, p.Arguments, p.InputResponses, p.RequestState}, "")
		}
	case *mcp.ReadResourceParams:
		if r := t.resource(p.URI); r != nil && g.hides(req, r) {
			return nil, mcp.ResourceNotFoundError(p.URI)
		} else if r != nil {
			return g.ask(ctx, req, r, method, p.GetMeta(), &resourceParams{p.URI, p.InputResponses, p.RequestState}, cacheable)
		}
	case *mcp.CompleteParams:
		if r, ref := t.completes(p); r != nil && !g.hides(req, r) {
			return g.ask(ctx, req, r, method, p.GetMeta(), &completeParams{p.Argument, p.Context, ref}, "")
		}
	}
	res, err := next(ctx, method, req)
	if err != nil {
		return nil, err
	}
	switch method {
	case "logging/setLevel":
		if p, ok := req.GetParams().(*mcp.SetLoggingLevelParams); ok {
			g.logAt(p.Level)
		}
	case "notifications/roots/list_changed":
		g.pb.RootsChanged()
	}
	return g.list(ctx, req, res)
}

// await returns what passes through. Servers that are starting are waited for, for a few
// seconds, if a client wants a list, or something that is not known yet.
func (g *gateway) await(ctx context.Context, req mcp.Request) *routes {
	t := g.table.Load()
	if !g.passes {
		return t
	}
	missing, all := false, true
	switch p := req.GetParams().(type) {
	case *mcp.ListToolsParams:
		missing, all = true, false
	case *mcp.CallToolParamsRaw:
		missing, all = t.tools[p.Name] == nil && !t.own[p.Name], false
	case *mcp.ListPromptsParams, *mcp.ListResourcesParams, *mcp.ListResourceTemplatesParams:
		missing = true
	case *mcp.GetPromptParams:
		missing = t.prompts[p.Name] == nil
	case *mcp.ReadResourceParams:
		missing = t.resource(p.URI) == nil && !strings.HasPrefix(p.URI, ownScheme+":")
	}
	if !missing {
		return t
	}
	g.pb.AwaitOffers(ctx, all)
	return g.table.Load()
}

// call calls a downstream tool for a client.
func (g *gateway) call(ctx context.Context, req *mcp.CallToolRequest, r *route) (mcp.Result, error) {
	p := req.Params
	if err := g.pb.Views.ListRefused(ctx); err != nil {
		return nil, listError(err)
	}
	if g.pb.Views.Hidden(ctx, r.server, r.name) {
		return nil, invalidParams("unknown tool %q", p.Name)
	}
	c := execution.GatewayCall{Server: r.server, Tool: r.name, Arguments: p.Arguments, Passed: run.Passed{Meta: passedMeta(p.Meta), RequestState: p.RequestState, Capabilities: usable(req.Session)}}
	if len(p.InputResponses) > 0 {
		b, err := json.Marshal(p.InputResponses)
		if err != nil {
			return nil, err
		}
		c.Passed.InputResponses = b
	}
	c.OnProgress = newProgress(ctx, req.Session, p.GetProgressToken())
	if isModern(req) {
		return g.callParking(ctx, req, c)
	}
	c.Client = &gatewayClient{ctx: ctx, session: req.Session}
	for range maxQuestions {
		res, err := g.pb.CallDownstream(ctx, c)
		if err != nil {
			return failed(ctx, err)
		}
		if !res.AsksForInput() {
			return g.result(req, res), nil
		}
		if c.Passed.InputResponses, c.Passed.RequestState, err = answerAll(ctx, req.Session, res.Raw); err != nil {
			return nil, err
		}
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the server asks again and again"}
}

// result is the result of a call for a client.
func (g *gateway) result(req *mcp.CallToolRequest, res *run.Result) *passedResult {
	var outputSchema json.RawMessage
	if r := g.table.Load().tools[req.Params.Name]; r != nil {
		outputSchema = schema.Read(r.listed).Get("outputSchema").Raw()
	}
	out := passOn(req, listing.Result(res.Raw, outputSchema, isModern(req)), "")
	out.IsError = res.IsError
	return out
}

// failed is the reply to a call that has no result: the error of the server as it was, or
// why there is none, for the model to read.
func failed(ctx context.Context, err error) (mcp.Result, error) {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return nil, e
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	fault, ok := errors.AsType[*diag.Fault](err)
	if !ok {
		fault = diag.Faultf(diag.CodeCallRefused, "%w", err)
	}
	return failure(ctx, map[string]any{"error": fault})
}

// passedMeta is the meta of a request without what concerns the client's own connection.
func passedMeta(meta mcp.Meta) map[string]any {
	var out map[string]any
	for key, v := range meta {
		if key == "progressToken" || strings.HasPrefix(key, "io.modelcontextprotocol/") || key == "traceparent" || key == "tracestate" {
			continue
		}
		if out == nil {
			out = map[string]any{}
		}
		out[key] = v
	}
	return out
}

// newProgress passes on reports of progress to a client that asked for them.
func newProgress(ctx context.Context, s *mcp.ServerSession, token any) func(servers.Progress) {
	if token == nil || s == nil {
		return nil
	}
	return func(p servers.Progress) {
		_ = s.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: p.Done, Total: p.Total, Message: p.Message})
	}
}
