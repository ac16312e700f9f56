package app

import (
	"context"
	"fmt"
	"sync"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// env is what the engine may ask while it compiles for this call.
func (a *App) env(ctx context.Context, untrusted bool) engine.Env {
	tools := &toolResolver{app: a, ctx: ctx}
	if a.servers.hub != nil {
		tools.ctx = a.servers.hub.WithOneWait(heard(ctx, ""))
	}
	return engine.Env{Tools: tools, Packs: packResolver{a.discovery.catalog.Snapshot()}, Graphs: graphResolver{app: a, rights: rightsFrom(ctx)}, HTTP: a.servers.egress, Hooks: a.around.hooks, Kinds: a.authoring.kinds, Limits: a.authoring.limits, Untrusted: untrusted, Unreviewed: a.unreviewedIn(ctx)}
}

// envAlone is env for what no server is asked about: tools are neither looked up nor
// checked, in saved graphs that are called neither.
func (a *App) envAlone(untrusted bool) engine.Env {
	return engine.Env{Packs: packResolver{a.discovery.catalog.Snapshot()}, Graphs: graphResolver{app: a, alone: true}, HTTP: a.servers.egress, Hooks: a.around.hooks, Kinds: a.authoring.kinds, Limits: a.authoring.limits, Untrusted: untrusted, Unreviewed: a.unreviewed}
}

// toolResolver finds tools in the catalog, and waits for their servers, for the
// engine.
type toolResolver struct {
	app   *App
	ctx   context.Context //nolint:containedctx // lives as long as one compilation
	known bool            // only what the catalog knows: wait for no server
	lists bool            // wait for a server only if no list of its tools is known
	// looked lets the tools of servers that no person has trusted be what they may.
	looked bool
	names  []string
	pins   graphfiles.Pins // of the saved graph that is compiled
}

// toolCache keeps the tools of one state of the catalog, so that a schema is
// compiled once however many graphs use it.
type toolCache struct {
	snapshot *catalog.Snapshot
	mu       sync.Mutex
	tools    map[*specs.Spec]*engine.Tool
}

func (a *App) tool(snap *catalog.Snapshot, spec *specs.Spec) *engine.Tool {
	cache := a.servers.tools.Load()
	if cache == nil || cache.snapshot != snap {
		fresh := &toolCache{snapshot: snap, tools: map[*specs.Spec]*engine.Tool{}}
		if cache != nil {
			cache.mu.Lock()
			for _, t := range cache.tools {
				if snap.Tool(t.Spec.Server(), t.Spec.Tool()) == t.Spec {
					fresh.tools[t.Spec] = t
				}
			}
			cache.mu.Unlock()
		}
		a.servers.tools.Store(fresh)
		cache = fresh
	}
	cache.mu.Lock()
	defer cache.mu.Unlock()
	t := cache.tools[spec]
	a.discovery.cacheUse.schemas.note(t != nil)
	if t == nil {
		t = &engine.Tool{Spec: spec, Input: schema.New(spec.InputSchema), Output: schema.New(spec.OutputSchema)}
		if seen := a.discovery.seen.Of(spec); seen != nil {
			t.Observed = schema.New(seen.Schema)
		}
		cache.tools[spec] = t
	}
	return t
}

// Tool returns a downstream tool as the catalog has it. A server that is still
// starting is waited for.
func (t *toolResolver) Tool(server, tool string) (*engine.Tool, *diag.Fault) {
	if t.app.servers.hub != nil {
		server = t.app.servers.hub.Canonical(server)
	}
	found, fault := t.find(server, tool)
	if fault != nil && fault.Code == diag.CodeUnknownTool {
		was := t.pins[server+"/"+tool].Endpoint
		switch now := t.app.renamed(server, tool, was); {
		case now != "" && was != "":
			return t.find(server, now)
		case now != "":
			fault = diag.Faultf(diag.CodeToolChanged, "tool %q of server %q has another name now, %q", tool, server, now).WithHint("write the new name, if that is the operation you mean; in saved graphs a person does so with patchbay graphs fix")
			fault.Suggestions = []string{now}
		}
	}
	if fault != nil && fault.Code == diag.CodeUnknownServer {
		t.app.explainDistrust(fault)
	}
	if fault != nil && fault.Code == diag.CodeUnknownServer && server == config.WorkspaceName {
		t.app.explainWorkspace(fault)
	}
	return found, fault
}

// explainDistrust says in a fault that servers are missing because their file is not
// trusted.
func (a *App) explainDistrust(f *diag.Fault) {
	if cfg := a.Config(); cfg.Untrusted != nil {
		f.Message += "; " + cfg.Untrusted.Message
		f.Hint = cfg.Untrusted.Hint
	}
}

// untrusted is the fault of a server of a document that no person has trusted, nil of any
// other.
func (a *App) untrusted(server string) *diag.Fault {
	for _, s := range a.Config().Servers {
		if s.Name == server && s.Problem != nil && s.Problem.Code == diag.CodeUntrustedFile {
			return diag.Faultf(s.Problem.Code, "%s is not trusted, so its servers are not started and their tools are not checked", s.From).WithHint(s.Problem.Hint)
		}
	}
	return nil
}

// explainWorkspace says in a fault why the built-in server is not there.
func (a *App) explainWorkspace(f *diag.Fault) {
	cfg := a.Config()
	switch {
	case cfg.WorkspaceOff != nil:
		f.Message, f.Hint = cfg.WorkspaceOff.Message, cfg.WorkspaceOff.Hint
	case cfg.WorkspaceReplaced:
		f.Message = fmt.Sprintf("the built-in server %q is off because servers are configured", config.WorkspaceName)
		f.Hint = "write workspace: {enabled: true} in patchbay.yaml"
	}
}

func (t *toolResolver) find(server, tool string) (*engine.Tool, *diag.Fault) {
	if r := rightsFrom(t.ctx); r != nil && !r.Tool(server, tool) {
		return nil, t.app.toolNotFound(t.ctx, server, tool)
	}
	if fault := t.app.denial(server, tool); fault != nil {
		return nil, fault
	}
	if t.ctx != nil {
		if fault := t.app.listFault(t.ctx); fault != nil {
			return nil, fault
		}
	}
	if !t.known {
		if fault := outsideTurn(t.ctx, func() *diag.Fault { return t.app.awaitServer(t.ctx, server) }); fault != nil {
			return nil, fault
		}
	}
	snap := t.snapshot()
	if spec := snap.Tool(server, tool); spec != nil {
		return t.app.tool(snap, spec), nil
	}
	if t.app.servers.hub == nil || t.known || t.lists && len(snap.Server(server)) > 0 {
		if fault := t.app.changedTool(server, tool); fault != nil && t.lists {
			return nil, fault
		}
		if len(snap.Server(server)) > 0 {
			return nil, unknownTool(snap, server, tool)
		}
		return nil, downstream.UnknownServer(server, snap.Servers())
	}
	if fault := t.app.untrusted(server); fault != nil && t.looked {
		return nil, fault
	}
	if fault := outsideTurn(t.ctx, func() *diag.Fault { return t.app.servers.hub.Ready(t.ctx, server) }); fault != nil {
		return nil, t.app.hideServerNames(t.ctx, server, fault)
	}
	snap = t.snapshot()
	if spec := snap.Tool(server, tool); spec != nil {
		return t.app.tool(snap, spec), nil
	}
	if fault := t.app.changedTool(server, tool); fault != nil {
		return nil, fault
	}
	return nil, unknownTool(snap, server, tool)
}

func unknownTool(snap *catalog.Snapshot, server, tool string) *diag.Fault {
	f := diag.Faultf(diag.CodeUnknownTool, "server %q has no tool %q", server, tool)
	var names []string
	for _, spec := range snap.Server(server) {
		names = append(names, spec.Tool())
	}
	f.Suggestions = diag.Closer(tool, names, 3)
	f.Hint = "its tools are " + diag.OneOf(names, 12)
	return f
}

// snapshot is the catalog as who compiles sees it.
func (t *toolResolver) snapshot() *catalog.Snapshot {
	if t.ctx == nil { // without a caller
		return t.app.discovery.catalog.Snapshot()
	}
	return t.app.snapshot(t.ctx)
}

// Names lists every downstream tool as "<server>/<tool>".
func (t *toolResolver) Names() []string {
	if t.names == nil {
		t.names = []string{}
		snap := t.snapshot()
		for _, server := range snap.Servers() {
			for _, spec := range snap.Server(server) {
				t.names = append(t.names, spec.Subtype)
			}
		}
	}
	return t.names
}

// Resolve finds the one downstream tool that a name can mean.
func (t *toolResolver) Resolve(name string) (server, tool string, ok bool) {
	snap := t.snapshot()
	name = t.app.canonical(NodeRef{ID: name}).ID
	spec, _ := snap.Resolve(catalog.Ref{ID: name})
	if spec == nil || spec.NodeType != specs.MCP || spec.Subtype == "" {
		spec, _ = snap.Resolve(catalog.Ref{ID: "mcp:" + name})
	}
	if spec == nil || spec.NodeType != specs.MCP || spec.Subtype == "" {
		return "", "", false
	}
	return spec.Server(), spec.Tool(), true
}
