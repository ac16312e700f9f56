package plans

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/process"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/schema"
	"github.com/patchbay-mcp/patchbay/specs"
)

// Env is what the engine may ask while it compiles for this call.
func (pl *Plans) Env(ctx context.Context, untrusted bool) engine.Env {
	tools := &ToolResolver{Plans: pl, Ctx: ctx}
	if pl.servers.Hub != nil {
		tools.Ctx = pl.servers.Hub.WithOneWait(request.Heard(ctx, ""))
	}
	env := pl.EnvAlone(untrusted)
	env.Tools, env.Graphs, env.Unreviewed = tools, GraphResolver{Plans: pl, Rights: request.RightsFrom(ctx)}, pl.Approvals.unreviewedIn(ctx)
	return env
}

// EnvAlone is env for what no server is asked about: tools are neither looked up nor
// checked, in saved graphs that are called neither.
func (pl *Plans) EnvAlone(untrusted bool) engine.Env {
	return engine.Env{
		Packs: packResolver{pl.Catalog.Snapshot(), &pl.Packs}, Graphs: GraphResolver{Plans: pl, Alone: true}, HTTP: pl.servers.Egress, Hooks: pl.Hooks,
		Models: pl.servers.ModelNames,
		Kinds:  pl.Kinds, Limits: pl.Limits, Untrusted: untrusted, Unreviewed: pl.Approvals.Unreviewed,
	}
}

// ToolResolver finds tools in the catalog, and waits for their servers, for the
// engine.
type ToolResolver struct {
	Plans *Plans
	Ctx   context.Context //nolint:containedctx // lives as long as one compilation
	Known bool            // only what the catalog knows: wait for no server
	lists bool            // wait for a server only if no list of its tools is known
	// looked lets the tools of servers that no person has trusted be what they may.
	looked bool
	names  []string
	pins   graphfiles.Pins   // of the saved graph that is compiled
	at     *catalog.Snapshot // that is read, nil for the present one
}

// A toolSet has the tools of servers that graphs call: what they take and return, how they have
// changed, and what graphs make of them.
type toolSet struct {
	plans *Plans
	cache atomic.Pointer[toolCache]
}

// Forget has what is known of the results of tools read again.
func (ts *toolSet) Forget() { ts.cache.Store(nil) }

// toolCache keeps the tools of one state of the catalog, so that a schema is
// compiled once however many graphs use it.
type toolCache struct {
	snapshot *catalog.Snapshot
	mu       sync.Mutex
	tools    map[*specs.Spec]*engine.Tool
}

// Of returns the tool of a spec, with its schemas compiled once for each state of the catalog.
func (ts *toolSet) Of(snap *catalog.Snapshot, spec *specs.Spec) *engine.Tool {
	cache := ts.cache.Load()
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
		ts.cache.Store(fresh)
		cache = fresh
	}
	cache.mu.Lock()
	defer cache.mu.Unlock()
	t := cache.tools[spec]
	ts.plans.process.CacheUse.Schemas.Note(t != nil)
	if t == nil {
		t = &engine.Tool{Spec: spec, Input: schema.New(spec.InputSchema), Output: schema.New(spec.OutputSchema)}
		if seen := ts.plans.Seen.Of(spec); seen != nil {
			t.Observed = schema.New(seen.Schema)
		}
		cache.tools[spec] = t
	}
	return t
}

// Tool returns a downstream tool as the catalog has it. A server that is still
// starting is waited for.
func (t *ToolResolver) Tool(server, tool string) (*engine.Tool, *diag.Fault) {
	if t.Plans.servers.Hub != nil {
		server = t.Plans.servers.Hub.Canonical(server)
	}
	found, fault := t.find(server, tool)
	if fault != nil && fault.Code == diag.CodeUnknownTool {
		was := t.pins[server+"/"+tool].Endpoint
		switch now := t.Plans.Tools.Renamed(server, tool, was); {
		case now != "" && was != "":
			return t.find(server, now)
		case now != "":
			fault = diag.Faultf(diag.CodeToolChanged, "tool %q of server %q has another name now, %q", tool, server, now).WithHint("write the new name, if that is the operation you mean; in saved graphs a person does so with patchbay graphs fix")
			fault.Suggestions = []string{now}
		}
	}
	if fault != nil && fault.Code == diag.CodeUnknownServer {
		t.Plans.explainDistrust(fault)
	}
	if fault != nil && fault.Code == diag.CodeUnknownServer && server == config.WorkspaceName {
		t.Plans.explainWorkspace(fault)
	}
	return found, fault
}

// explainDistrust says in a fault that servers are missing because their file is not
// trusted.
func (pl *Plans) explainDistrust(f *diag.Fault) {
	if cfg := pl.process.Config(); cfg.Untrusted != nil {
		f.Message += "; " + cfg.Untrusted.Message
		f.Hint = cfg.Untrusted.Hint
	}
}

// untrusted is the fault of a server of a document that no person has trusted, nil of any
// other.
func (pl *Plans) untrusted(server string) *diag.Fault {
	for _, s := range pl.process.Config().Servers {
		if s.Name == server && s.Problem != nil && s.Problem.Code == diag.CodeUntrustedFile {
			return diag.Faultf(s.Problem.Code, "%s is not trusted, so its servers are not started and their tools are not checked", s.From).WithHint(s.Problem.Hint)
		}
	}
	return nil
}

// explainWorkspace says in a fault why the built-in server is not there.
func (pl *Plans) explainWorkspace(f *diag.Fault) {
	cfg := pl.process.Config()
	switch {
	case cfg.WorkspaceOff != nil:
		f.Message, f.Hint = cfg.WorkspaceOff.Message, cfg.WorkspaceOff.Hint
	case cfg.WorkspaceReplaced:
		f.Message = fmt.Sprintf("the built-in server %q is off because servers are configured", config.WorkspaceName)
		f.Hint = "write workspace: {enabled: true} in patchbay.yaml"
	}
}

func (t *ToolResolver) find(server, tool string) (*engine.Tool, *diag.Fault) {
	if r := request.RightsFrom(t.Ctx); r != nil && !r.Tool(server, tool) {
		return nil, t.Plans.Views.toolNotFound(t.Ctx, server, tool)
	}
	if fault := t.Plans.policy.Denial(server, tool); fault != nil {
		return nil, fault
	}
	if t.Ctx != nil {
		if fault := t.Plans.Views.ListFault(t.Ctx); fault != nil {
			return nil, fault
		}
	}
	if !t.Known {
		if fault := process.OutsideTurn(t.Ctx, func() *diag.Fault { return t.Plans.servers.AwaitServer(t.Ctx, server) }); fault != nil {
			return nil, fault
		}
	}
	snap := t.snapshot()
	if spec := snap.Tool(server, tool); spec != nil {
		return t.Plans.Tools.Of(snap, spec), nil
	}
	if t.Plans.servers.Hub == nil || t.Known || t.lists && len(snap.Server(server)) > 0 {
		if fault := t.Plans.Tools.Changed(server, tool); fault != nil && t.lists {
			return nil, fault
		}
		if len(snap.Server(server)) > 0 {
			return nil, unknownTool(snap, server, tool)
		}
		return nil, downstream.UnknownServer(server, snap.Servers())
	}
	if fault := t.Plans.untrusted(server); fault != nil && t.looked {
		return nil, fault
	}
	if fault := process.OutsideTurn(t.Ctx, func() *diag.Fault { return t.Plans.servers.Hub.Ready(t.Ctx, server) }); fault != nil {
		return nil, t.Plans.Views.hideServerNames(t.Ctx, server, fault)
	}
	snap = t.snapshot()
	if spec := snap.Tool(server, tool); spec != nil {
		return t.Plans.Tools.Of(snap, spec), nil
	}
	if fault := t.Plans.Tools.Changed(server, tool); fault != nil {
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
func (t *ToolResolver) snapshot() *catalog.Snapshot {
	if t.at != nil {
		return t.at
	}
	if t.Ctx == nil { // without a caller
		return t.Plans.Catalog.Snapshot()
	}
	return t.Plans.Views.Snapshot(t.Ctx)
}

// Names lists every downstream tool as "<server>/<tool>".
func (t *ToolResolver) Names() []string {
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
func (t *ToolResolver) Resolve(name string) (server, tool string, ok bool) {
	snap := t.snapshot()
	name = t.Plans.Tools.Canonical(NodeRef{ID: name}).ID
	spec, _ := snap.Resolve(catalog.Ref{ID: name})
	if spec == nil || spec.NodeType != specs.MCP || spec.Subtype == "" {
		spec, _ = snap.Resolve(catalog.Ref{ID: "mcp:" + name})
	}
	if spec == nil || spec.NodeType != specs.MCP || spec.Subtype == "" {
		return "", "", false
	}
	return spec.Server(), spec.Tool(), true
}

// NeedsServer reports whether a server or a tool is missing.
func NeedsServer(d *diag.Diagnostic) bool {
	switch d.Code {
	case diag.CodeUnknownServer, diag.CodeUnknownTool, diag.CodeToolChanged:
		return true
	}
	return serverDown(d)
}

// serverDown reports whether a server cannot be asked now.
func serverDown(d *diag.Diagnostic) bool {
	return d.Code == diag.CodeServerStarting || d.Code == diag.CodeServerFailed
}
