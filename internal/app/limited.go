package app

import (
	"context"
	"slices"
	"sync"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/internal/access"
	"github.com/patchbay-mcp/patchbay/internal/downstream"
	"github.com/patchbay-mcp/patchbay/internal/graphfiles"
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

// rightsOf are the limited rights of a principal, nil if it may use everything.
func rightsOf(ctx context.Context) *access.Rights {
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

// setCallees replaces the documents of which the callees are known. They are looked at
// when a principal with limited rights comes.
func (pb *App) setCallees(list []namedDocument) {
	all := sync.OnceValue(func() callees {
		c := callees{}
		for _, d := range list {
			_ = alone(func() { pb.noteCallees(c, d) })
		}
		return c
	})
	pb.callees.Store(&all)
}

func (pb *App) noteCallees(all callees, d namedDocument) {
	list := []engine.Callee{}
	own := map[string]bool{}
	for _, t := range d.doc.Tools() {
		plan := pb.knownPlan(d.doc, t.Name.Text())
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
func (pb *App) allowed(ctx context.Context) *catalog.Snapshot {
	snap, r := pb.catalog.Snapshot(), rightsOf(ctx)
	if r == nil {
		return snap
	}
	key, calls := r.Key(), pb.callees.Load()
	v, ok := pb.limited.get(snap, key)
	if !ok || v.calls != calls {
		v = limitedView{snap.Without(func(sp *specs.Spec) bool {
			switch {
			case sp.Subtype == "":
				return false
			case sp.NodeType == specs.MCP:
				return !r.Tool(sp.Server(), sp.Tool())
			case sp.NodeType == specs.Graph:
				return !pb.mayUseGraph(r, sp.Subtype)
			}
			return false
		}), calls}
		pb.limited.add(pb.catalog, snap, key, v)
	}
	return v.snapshot
}

// MayUseGraph reports whether the principal that an operation is done for may use a saved
// graph, or one of the operator's documents: its name is allowed, and so is all that it
// calls, directly or by other graphs.
func (pb *App) MayUseGraph(ctx context.Context, name string) bool {
	r := rightsOf(ctx)
	return r == nil || pb.mayUseGraph(r, name)
}

// HidesGraph reports whether there is a graph of this name which the principal may not use.
func (pb *App) HidesGraph(ctx context.Context, name string) bool {
	if pb.MayUseGraph(ctx, name) {
		return false
	}
	_, ours := pb.document(name)
	return ours || pb.catalog.Snapshot().Spec("graph:"+name) != nil
}

func (pb *App) mayUseGraph(r *access.Rights, name string) bool {
	allowed, named := r.Graph(name)
	all := pb.callees.Load()
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
func (pb *App) graphHidden(ctx context.Context, name string) *diag.Fault {
	if pb.MayUseGraph(ctx, name) {
		return nil
	}
	return graphfiles.Unknown(name, graphResolver{pb: pb, rights: rightsOf(ctx)}.Names())
}

// seesServer reports whether a principal may know that a server is configured.
func seesServer(ctx context.Context, server string) bool {
	r := rightsOf(ctx)
	return r == nil || r.Server(server)
}

// notThere is the fault of a tool that a principal does not see.
func (pb *App) notThere(ctx context.Context, server, tool string) *diag.Fault {
	if snap := pb.snapshot(ctx); len(snap.Server(server)) > 0 {
		return unknownTool(snap, server, tool)
	}
	return downstream.UnknownServer(server, pb.snapshot(ctx).Servers())
}

// amongSeen is the fault of a server that cannot be used, without the names of those that
// a principal does not see.
func (pb *App) amongSeen(ctx context.Context, server string, fault *diag.Fault) *diag.Fault {
	if rightsOf(ctx) == nil || fault.Code != "unknown-server" {
		return fault
	}
	return downstream.UnknownServer(server, pb.snapshot(ctx).Servers())
}

// mayNotSave is the fault of a name under which a principal may not save a graph: it could
// not use it, or somebody else has one there that it does not see.
func (pb *App) mayNotSave(ctx context.Context, name string) *diag.Fault {
	r := rightsOf(ctx)
	if r == nil {
		return nil
	}
	allowed, _ := r.Graph(name)
	if allowed && (pb.MayUseGraph(ctx, name) || !slices.Contains(graphResolver{pb: pb}.Names(), name)) {
		return nil
	}
	return diag.Faultf("name-not-allowed", "you may not save a graph as %q", diag.Excerpt(name)).At("/name").WithHint("save it under another name: name: <name>")
}
