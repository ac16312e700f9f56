package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/specs"
)

// publisher keeps the server's tools equal to the published graphs.
type publisher struct {
	server *mcp.Server
	pb     *app.App
	states states
	log    *slog.Logger
	relist relister

	mu     sync.Mutex
	listed map[string]string // revision by name
}

// sync adds, replaces and removes tools; clients are told by list_changed.
func (p *publisher) sync() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := map[string]string{}
	for _, t := range p.pb.GraphTools.List() {
		now[t.Name] = t.Revision
		if p.listed[t.Name] == t.Revision {
			continue
		}
		p.relist.changes.Add(1)
		if err := p.add(t); err != nil {
			p.log.Warn("a graph cannot be published as a tool", "name", t.Name, "error", err)
			delete(now, t.Name)
		}
	}
	for name := range p.listed {
		if _, still := now[name]; !still {
			p.server.RemoveTools(name)
		}
	}
	p.listed = now
}

// add publishes one graph. The SDK panics on schemas it does not take.
func (p *publisher) add(t plans.PublishedTool) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	if size := len(t.InputSchema) + len(t.OutputSchema); size > MaxReply {
		return fmt.Errorf("its schemas have %s, more than %s", diag.Bytes(int64(size)), diag.Bytes(MaxReply))
	}
	def := &mcp.Tool{Name: t.Name, Title: diag.Visible(diag.Brief(t.Title)), Description: diag.Visible(diag.Brief(t.Description)), InputSchema: t.InputSchema, Annotations: hints(t.Annotations)}
	def.Meta = loadedAtOnce(def.Description)
	if len(t.OutputSchema) > 0 {
		def.OutputSchema = t.OutputSchema
	}
	p.server.AddTool(def, p.call)
	return nil
}

// call runs a published graph.
func (p *publisher) call(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args := req.Params.Arguments
	if bytes.HasPrefix(bytes.TrimSpace(args), []byte(`"`)) {
		var text string
		if json.Unmarshal(args, &text) == nil && json.Valid([]byte(text)) {
			args = json.RawMessage(text)
		}
	}
	a, err := newAsker(p.pb, p.states, req)
	if err != nil {
		return nil, err
	}
	ctx, end := withProgress(ctx, req)
	defer end()
	ctx, offer := offered(ctx)
	run, fault := a.converse(ctx, func() (*execution.RunResult, *diag.Fault) {
		return p.pb.CallGraph(ctx, req.Params.Name, args)
	})
	if fault == nil {
		if run.required != nil {
			return run.required, nil
		}
		offer.continues(run.RunResult, asGraphTool)
	}
	return graphReply(ctx, run, fault)
}

// graphReply is the reply of a published graph whose run stands so, or did not start. A
// failure is text only: structured content would have to satisfy the author's outputSchema.
func graphReply(ctx context.Context, run *conversation, fault *diag.Fault) (*mcp.CallToolResult, error) {
	var result json.RawMessage
	if fault == nil {
		result, fault = run.ToolReply()
	}
	if fault != nil {
		text := map[string]any{"error": fault}
		if run != nil && run.Hint != "" {
			text["status"], text["run_id"] = run.Status, run.RunID
		}
		return failure(ctx, text)
	}
	res := &mcp.CallToolResult{StructuredContent: result, Content: []mcp.Content{&mcp.TextContent{Text: string(result)}}}
	if content := run.Content(); content != nil {
		res.Content = blocks(string(content.ToolReply()), content)
	}
	return res, nil
}

// failure is a failed call whose text is the JSON of a value.
func failure(ctx context.Context, v any) (*mcp.CallToolResult, error) {
	res, err := toolResult(ctx, v, true)
	if err == nil {
		res.StructuredContent = nil
	}
	return res, err
}

// hints are a graph's annotations, each of them said: where nothing is known, what
// MCP takes for unsaid.
func hints(a *specs.Annotations) *mcp.ToolAnnotations {
	destructive, openWorld := true, true
	t := &mcp.ToolAnnotations{DestructiveHint: &destructive, OpenWorldHint: &openWorld}
	if a == nil {
		return t
	}
	if a.OpenWorld != nil {
		openWorld = *a.OpenWorld
	}
	if a.ReadOnly != nil {
		t.ReadOnlyHint = *a.ReadOnly
		destructive = !t.ReadOnlyHint
	}
	if a.Destructive != nil {
		destructive = *a.Destructive
	}
	if a.Idempotent != nil {
		t.IdempotentHint = *a.Idempotent
	}
	return t
}

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
func declared(offered *mcp.ServerCapabilities) step {
	return func(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
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
			return nil, noMethod(method)
		}
		return next(ctx, method, req)
	}
}
