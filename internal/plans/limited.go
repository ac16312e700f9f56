package plans

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/library/graphfiles"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/specs"
)

// callees are what saved graphs and the operator's call, by the names of their tools. The
// tools of a document call what all of them do, and a name that two documents have, what
// both do. What cannot be compiled is not there.
type callees map[string][]engine.Callee

// setCallees replaces the saved graphs whose callees are known, beside the operator's
// documents. They are looked at when a principal with limited rights comes.
func (vw *views) setCallees(saved []*graphfiles.Graph) {
	all := sync.OnceValue(func() callees {
		c := callees{}
		for _, doc := range vw.plans.Documents {
			var names []string
			for _, t := range doc.Tools() {
				names = append(names, t.Name.Text())
			}
			_ = Alone(func() { vw.noteCallees(c, doc, names) })
		}
		for _, g := range saved {
			_ = Alone(func() { vw.noteCallees(c, g.Doc, g.ToolNames()) })
		}
		return c
	})
	vw.callees.Store(&all)
}

func (vw *views) noteCallees(all callees, doc *graph.Document, names []string) {
	list := []engine.Callee{}
	own := map[string]bool{}
	for _, t := range doc.Tools() {
		plan := vw.plans.GraphSpecs.knownPlan(doc, t.Name.Text())
		if plan == nil {
			return
		}
		own[t.Name.Text()] = true
		list = append(list, plan.Callees()...)
	}
	list = slices.DeleteFunc(list, func(c engine.Callee) bool { return own[c.Graph] && c.Graph != "" })
	for _, name := range names {
		all[name] = append(slices.Concat([]engine.Callee{}, all[name]), list...)
	}
}

// maxLimited is how many different rights are remembered.
const maxLimited = 100

// A limitedView is what principals with limited rights see of the catalog: one for all
// principals with the same rights.
type limitedView struct {
	snapshot *catalog.Snapshot
	calls    *func() callees // by which graphs were judged
}

// allowed is the catalog without what the principal may not use.
func (vw *views) allowed(ctx context.Context) *catalog.Snapshot {
	snap, r := vw.plans.Catalog.Snapshot(), request.RightsFrom(ctx)
	if r == nil {
		return snap
	}
	key, calls := r.Key(), vw.callees.Load()
	v, ok := vw.limited.Get(snap, key)
	if !ok || v.calls != calls {
		v = limitedView{snap.Without(func(sp *specs.Spec) bool {
			switch {
			case sp.Subtype == "":
				return false
			case sp.NodeType == specs.MCP:
				return !r.Tool(sp.Server(), sp.Tool())
			case sp.NodeType == specs.Graph:
				return !vw.mayUseGraph(r, sp.Subtype)
			}
			name, template := strings.CutPrefix(sp.ID(), specs.Idiom+":"+TemplatePrefix)
			return template && !vw.mayUseGraph(r, name)
		}), calls}
		vw.limited.Add(vw.plans.Catalog, snap, key, v)
	}
	return v.snapshot
}

// MayUseGraph reports whether the principal that an operation is done for may use a saved
// graph, or one of the operator's documents: its name is allowed, and so is all that it
// calls, directly or by other graphs.
func (vw *views) MayUseGraph(ctx context.Context, name string) bool {
	r := request.RightsFrom(ctx)
	return r == nil || vw.mayUseGraph(r, name)
}

// HidesGraph reports whether there is a graph of this name which the principal may not use.
func (vw *views) HidesGraph(ctx context.Context, name string) bool {
	if vw.MayUseGraph(ctx, name) {
		return false
	}
	_, ours := vw.plans.Document(name)
	return ours || vw.plans.Catalog.Snapshot().Spec("graph:"+name) != nil
}

func (vw *views) mayUseGraph(r *access.Rights, name string) bool {
	allowed, named := r.Graph(name)
	vw.plans.Catalog.Snapshot() // of graphs that are not yet looked at
	all := vw.callees.Load()
	return allowed && all != nil && (*all)().within(r, name, named, map[string]bool{})
}

// within reports whether rights allow all that a graph calls. Named says that Allow names
// the graph: then only Deny counts.
func (c callees) within(r *access.Rights, name string, named bool, seen map[string]bool) bool {
	if seen[name] {
		return true
	}
	seen[name] = true
	list := c[name]
	return list != nil && !slices.ContainsFunc(list, func(one engine.Callee) bool {
		switch {
		case one.Graph != "":
			allowed, _ := r.Graph(one.Graph)
			return !allowed && !named || r.DeniesGraph(one.Graph) || !c.within(r, one.Graph, named, seen)
		case one.Server == "":
			return true
		case named:
			return r.Denies(one.Server, one.Tool)
		}
		return !r.Tool(one.Server, one.Tool)
	})
}

// GraphHidden is the fault of a graph that the principal may not use, as if there were
// none of this name.
func (vw *views) GraphHidden(ctx context.Context, name string) *diag.Fault {
	if vw.MayUseGraph(ctx, name) {
		return nil
	}
	return graphfiles.Unknown(name, GraphResolver{Plans: vw.plans, Rights: request.RightsFrom(ctx)}.Names())
}

// toolNotFound is the fault of a tool that a principal does not see.
func (vw *views) toolNotFound(ctx context.Context, server, tool string) *diag.Fault {
	if snap := vw.Snapshot(ctx); len(snap.Server(server)) > 0 {
		return unknownTool(snap, server, tool)
	}
	return downstream.UnknownServer(server, vw.Snapshot(ctx).Servers())
}

// hideServerNames is the fault of a server that cannot be used, without the names of those that
// a principal does not see.
func (vw *views) hideServerNames(ctx context.Context, server string, fault *diag.Fault) *diag.Fault {
	if request.RightsFrom(ctx) == nil || fault.Code != diag.CodeUnknownServer {
		return fault
	}
	return downstream.UnknownServer(server, vw.Snapshot(ctx).Servers())
}

var codeNameNotAllowed = diag.DefineFault("name-not-allowed", diag.RefusesRequest, "your token does not allow graphs of this name, or there is one that you may not use", "save under another name")

// CheckSaveName is the fault of a name under which a principal may not save a graph: it could
// not use it, or somebody else has one there that it does not see.
func (vw *views) CheckSaveName(ctx context.Context, name string) *diag.Fault {
	r := request.RightsFrom(ctx)
	if r == nil {
		return nil
	}
	allowed, _ := r.Graph(name)
	if allowed && (vw.MayUseGraph(ctx, name) || !slices.Contains(GraphResolver{Plans: vw.plans}.Names(), name)) {
		return nil
	}
	return diag.Faultf(codeNameNotAllowed, "you may not save a graph as %q", diag.Excerpt(name)).At("/name").WithHint("save it under another name: name: <name>")
}
