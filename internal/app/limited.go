package app

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
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/specs"
)

type rightsKey struct{}

// WithRights says which tools and graphs the principal may use that operations are done
// for. What it may not use is not there for it. Rights without limits change nothing.
func WithRights(ctx context.Context, r *access.Rights) context.Context {
	if r == nil || !r.IsLimited() {
		return ctx
	}
	return context.WithValue(ctx, rightsKey{}, r)
}

// rightsFrom are the limited rights of a principal, nil if it may use everything.
func rightsFrom(ctx context.Context) *access.Rights {
	if ctx == nil || ctx.Value(operatorKey{}) != nil {
		return nil
	}
	return givenRights(ctx)
}

// givenRights are those of the principal also in what is compiled for the operator.
func givenRights(ctx context.Context) *access.Rights {
	r, _ := ctx.Value(rightsKey{}).(*access.Rights)
	return r
}

// callees are what saved graphs and the operator's call, by the names of their tools. The
// tools of a document call what all of them do, and a name that two documents have, what
// both do. What cannot be compiled is not there.
type callees map[string][]engine.Callee

// A named document is one whose tools can be called by these names.
type namedDocument struct {
	doc   *graph.Document
	names []string
}

// setCallees replaces the documents whose callees are known. They are looked at
// when a principal with limited rights comes.
func (a *App) setCallees(list []namedDocument) {
	all := sync.OnceValue(func() callees {
		c := callees{}
		for _, d := range list {
			_ = alone(func() { a.noteCallees(c, d) })
		}
		return c
	})
	a.library.callees.Store(&all)
}

func (a *App) noteCallees(all callees, d namedDocument) {
	list := []engine.Callee{}
	own := map[string]bool{}
	for _, t := range d.doc.Tools() {
		plan := a.knownPlan(d.doc, t.Name.Text())
		if plan == nil {
			return
		}
		own[t.Name.Text()] = true
		list = append(list, plan.Callees()...)
	}
	list = slices.DeleteFunc(list, func(c engine.Callee) bool { return own[c.Graph] && c.Graph != "" })
	for _, name := range d.names {
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
func (a *App) allowed(ctx context.Context) *catalog.Snapshot {
	snap, r := a.discovery.catalog.Snapshot(), rightsFrom(ctx)
	if r == nil {
		return snap
	}
	key, calls := r.Key(), a.library.callees.Load()
	v, ok := a.policy.limited.get(snap, key)
	if !ok || v.calls != calls {
		v = limitedView{snap.Without(func(sp *specs.Spec) bool {
			switch {
			case sp.Subtype == "":
				return false
			case sp.NodeType == specs.MCP:
				return !r.Tool(sp.Server(), sp.Tool())
			case sp.NodeType == specs.Graph:
				return !a.mayUseGraph(r, sp.Subtype)
			}
			name, template := strings.CutPrefix(sp.ID(), specs.Idiom+":"+templatePrefix)
			return template && !a.mayUseGraph(r, name)
		}), calls}
		a.policy.limited.add(a.discovery.catalog, snap, key, v)
	}
	return v.snapshot
}

// MayUseGraph reports whether the principal that an operation is done for may use a saved
// graph, or one of the operator's documents: its name is allowed, and so is all that it
// calls, directly or by other graphs.
func (a *App) MayUseGraph(ctx context.Context, name string) bool {
	r := rightsFrom(ctx)
	return r == nil || a.mayUseGraph(r, name)
}

// HidesGraph reports whether there is a graph of this name which the principal may not use.
func (a *App) HidesGraph(ctx context.Context, name string) bool {
	if a.MayUseGraph(ctx, name) {
		return false
	}
	_, ours := a.document(name)
	return ours || a.discovery.catalog.Snapshot().Spec("graph:"+name) != nil
}

func (a *App) mayUseGraph(r *access.Rights, name string) bool {
	allowed, named := r.Graph(name)
	all := a.library.callees.Load()
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

// graphHidden is the fault of a graph that the principal may not use, as if there were
// none of this name.
func (a *App) graphHidden(ctx context.Context, name string) *diag.Fault {
	if a.MayUseGraph(ctx, name) {
		return nil
	}
	return graphfiles.Unknown(name, graphResolver{app: a, rights: rightsFrom(ctx)}.Names())
}

// seesServer reports whether a principal may know that a server is configured.
func seesServer(ctx context.Context, server string) bool {
	r := rightsFrom(ctx)
	return r == nil || r.Server(server)
}

// toolNotFound is the fault of a tool that a principal does not see.
func (a *App) toolNotFound(ctx context.Context, server, tool string) *diag.Fault {
	if snap := a.snapshot(ctx); len(snap.Server(server)) > 0 {
		return unknownTool(snap, server, tool)
	}
	return downstream.UnknownServer(server, a.snapshot(ctx).Servers())
}

// hideServerNames is the fault of a server that cannot be used, without the names of those that
// a principal does not see.
func (a *App) hideServerNames(ctx context.Context, server string, fault *diag.Fault) *diag.Fault {
	if rightsFrom(ctx) == nil || fault.Code != diag.CodeUnknownServer {
		return fault
	}
	return downstream.UnknownServer(server, a.snapshot(ctx).Servers())
}

var codeNameNotAllowed = diag.DefineFault("name-not-allowed", diag.RefusesRequest, "your token does not allow graphs of this name, or there is one that you may not use", "save under another name")

// checkSaveName is the fault of a name under which a principal may not save a graph: it could
// not use it, or somebody else has one there that it does not see.
func (a *App) checkSaveName(ctx context.Context, name string) *diag.Fault {
	r := rightsFrom(ctx)
	if r == nil {
		return nil
	}
	allowed, _ := r.Graph(name)
	if allowed && (a.MayUseGraph(ctx, name) || !slices.Contains(graphResolver{app: a}.Names(), name)) {
		return nil
	}
	return diag.Faultf(codeNameNotAllowed, "you may not save a graph as %q", diag.Excerpt(name)).At("/name").WithHint("save it under another name: name: <name>")
}
