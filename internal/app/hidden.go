package app

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/catalog"
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
	until    time.Time
}

// Hidden reports whether the client that an operation is done for does not see a
// downstream tool.
func (pb *App) Hidden(ctx context.Context, server, tool string) bool {
	if r := rightsOf(ctx); r != nil && !r.Tool(server, tool) {
		return true
	}
	v := pb.viewOf(ctx)
	return v != nil && v.hidden[[2]string{server, tool}]
}

// snapshot is the catalog as the client that an operation is done for sees it.
func (pb *App) snapshot(ctx context.Context) *catalog.Snapshot {
	if v := pb.viewOf(ctx); v != nil {
		return v.snapshot
	}
	return pb.allowed(ctx)
}

type operatorKey struct{}

// forOperator returns a context whose operations see hidden tools, whatever the rights of
// their principal: those of the operator's documents and of saved graphs. Whether the
// principal may use such a graph is decided before.
func forOperator(ctx context.Context) context.Context {
	return context.WithValue(ctx, operatorKey{}, true)
}

// viewOf is what a client sees, nil if that is everything.
func (pb *App) viewOf(ctx context.Context) *view {
	filter := pb.Filter()
	client, ok := ClientID(ctx)
	if filter == nil || !ok || ctx.Value(operatorKey{}) != nil {
		return nil
	}
	all, now := pb.catalog.Snapshot(), time.Now()
	snap := pb.allowed(ctx)
	v, _ := pb.views.get(all, client)
	if v == nil || v.from != snap || now.After(v.until) {
		v = pb.look(ctx, filter, client, snap)
		v.until = now.Add(seenFor)
		pb.views.add(pb.catalog, all, client, v)
	}
	return v
}

// look asks a filter which downstream tools a client sees.
func (pb *App) look(ctx context.Context, filter ToolFilter, client string, snap *catalog.Snapshot) *view {
	v := &view{from: snap, hidden: map[[2]string]bool{}}
	var all []ListedTool
	for _, o := range pb.Offers(Expose{Prefix: pb.exposePrefix}) {
		for _, t := range o.Tools {
			all = append(all, t.ListedTool)
			v.hidden[[2]string{t.Server, t.Tool}] = true
		}
	}
	seen, err := filter(ctx, client, all)
	if err != nil {
		seen = nil
	}
	for _, t := range seen {
		delete(v.hidden, [2]string{t.Server, t.Tool})
	}
	v.snapshot = snap.Without(func(sp *specs.Spec) bool {
		return sp.NodeType == specs.MCP && v.hidden[[2]string{sp.Server(), sp.Tool()}]
	})
	return v
}
