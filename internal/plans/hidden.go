package plans

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers"
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
func (pl *Plans) Hidden(ctx context.Context, server, tool string) bool {
	if r := request.RightsFrom(ctx); r != nil && !r.Tool(server, tool) {
		return true
	}
	v := pl.clientView(ctx)
	return v != nil && v.hidden[[2]string{server, tool}]
}

// ListRefused is why the client that an operation is done for gets no list of tools, and can
// use no tool of a server; nil if it gets one.
func (pl *Plans) ListRefused(ctx context.Context) error {
	if v := pl.clientView(ctx); v != nil {
		return v.refused
	}
	return nil
}

// ListFault is ListRefused as a fault.
func (pl *Plans) ListFault(ctx context.Context) *diag.Fault {
	err := pl.ListRefused(ctx)
	if err == nil {
		return nil
	}
	return diag.Faultf(policy.CodeToolDenied, "the tools of servers cannot be used: tools/list is refused: %w", err).WithHint("ask the operator to correct the workflow around tools/list")
}

// Snapshot is the catalog as the client that an operation is done for sees it.
func (pl *Plans) Snapshot(ctx context.Context) *catalog.Snapshot {
	if v := pl.clientView(ctx); v != nil {
		return v.snapshot
	}
	return pl.allowed(ctx)
}

// clientView is what a client sees, nil if that is everything.
func (pl *Plans) clientView(ctx context.Context) *view {
	filter := pl.policy.Filter()
	client, ok := request.ClientID(ctx)
	if filter == nil || !ok || request.IsForOperator(ctx) {
		return nil
	}
	all, now := pl.Catalog.Snapshot(), time.Now()
	snap := pl.allowed(ctx)
	v, _ := pl.views.Get(all, client)
	if v == nil || v.from != snap || now.After(v.until) {
		v = pl.look(ctx, filter, client, snap)
		v.until = now.Add(seenFor)
		pl.views.Add(pl.Catalog, all, client, v)
	}
	return v
}

// look asks a filter which downstream tools a client sees.
func (pl *Plans) look(ctx context.Context, filter policy.ToolFilter, client string, snap *catalog.Snapshot) *view {
	v := &view{from: snap, hidden: map[[2]string]bool{}}
	var all []policy.ListedTool
	for _, o := range pl.servers.Offers(servers.Expose{Prefix: pl.exposePrefix}) {
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

// FilterTools makes f change what clients see; nil changes nothing.
func (pl *Plans) FilterTools(f policy.ToolFilter) {
	if f == nil {
		pl.policy.SetFilter(nil)
	} else {
		pl.policy.SetFilter(&f)
	}
	pl.views.Clear()
	pl.process.AnnounceOffer()
}
