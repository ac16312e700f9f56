package app

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/specs"
)

// seenFor is how long what a client sees counts for its calls: a filter may answer
// differently at another time, and each of its answers may be a run.
const seenFor = 5 * time.Second

// maxViews is how many clients are remembered.
const maxViews = 1000

// A view is what one client sees.
type view struct {
	from     *catalog.Snapshot
	snapshot *catalog.Snapshot
	hidden   map[[2]string]bool // by server and tool
	refused  error              // why the client gets no list of tools; then all are hidden
	until    time.Time
}

// Hidden reports whether the client that an operation is done for does not see a
// downstream tool.
func (a *App) Hidden(ctx context.Context, server, tool string) bool {
	if r := rightsFrom(ctx); r != nil && !r.Tool(server, tool) {
		return true
	}
	v := a.clientView(ctx)
	return v != nil && v.hidden[[2]string{server, tool}]
}

// ListRefused is why the client that an operation is done for gets no list of tools, and can
// use no tool of a server; nil if it gets one.
func (a *App) ListRefused(ctx context.Context) error {
	if v := a.clientView(ctx); v != nil {
		return v.refused
	}
	return nil
}

// listFault is ListRefused as a fault.
func (a *App) listFault(ctx context.Context) *diag.Fault {
	err := a.ListRefused(ctx)
	if err == nil {
		return nil
	}
	return diag.Faultf(codeToolDenied, "the tools of servers cannot be used: tools/list is refused: %w", err).WithHint("ask the operator to correct the workflow around tools/list")
}

// snapshot is the catalog as the client that an operation is done for sees it.
func (a *App) snapshot(ctx context.Context) *catalog.Snapshot {
	if v := a.clientView(ctx); v != nil {
		return v.snapshot
	}
	return a.allowed(ctx)
}

type operatorKey struct{}

// forOperator returns a context whose operations see hidden tools, whatever the rights of
// their principal: those of the operator's documents and of saved graphs. Whether the
// principal may use such a graph is decided before.
func forOperator(ctx context.Context) context.Context {
	return context.WithValue(ctx, operatorKey{}, true)
}

// clientView is what a client sees, nil if that is everything.
func (a *App) clientView(ctx context.Context) *view {
	filter := a.Filter()
	client, ok := ClientID(ctx)
	if filter == nil || !ok || ctx.Value(operatorKey{}) != nil {
		return nil
	}
	all, now := a.discovery.catalog.Snapshot(), time.Now()
	snap := a.allowed(ctx)
	v, _ := a.policy.views.get(all, client)
	if v == nil || v.from != snap || now.After(v.until) {
		v = a.look(ctx, filter, client, snap)
		v.until = now.Add(seenFor)
		a.policy.views.add(a.discovery.catalog, all, client, v)
	}
	return v
}

// look asks a filter which downstream tools a client sees.
func (a *App) look(ctx context.Context, filter ToolFilter, client string, snap *catalog.Snapshot) *view {
	v := &view{from: snap, hidden: map[[2]string]bool{}}
	var all []ListedTool
	for _, o := range a.Offers(Expose{Prefix: a.policy.exposePrefix}) {
		for _, t := range o.Tools {
			all = append(all, t.ListedTool)
			v.hidden[[2]string{t.Server, t.Tool}] = true
		}
	}
	seen, err := filter(ctx, client, all)
	if err != nil {
		seen, v.refused = nil, err
	}
	for _, t := range seen {
		delete(v.hidden, [2]string{t.Server, t.Tool})
	}
	v.snapshot = snap.Without(func(sp *specs.Spec) bool {
		return sp.NodeType == specs.MCP && v.hidden[[2]string{sp.Server(), sp.Tool()}]
	})
	return v
}
