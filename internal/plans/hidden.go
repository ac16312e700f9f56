package plans

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/policy"
	"github.com/patchbay-mcp/patchbay/internal/process"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/specs"
)

// seenFor is how long what a client sees counts for its calls: a filter may answer
// differently at another time, and each of its answers may be a run.
const seenFor = 5 * time.Second

// maxViews is how many clients are remembered.
const maxViews = 1000

// views are what clients see of the catalog: by their rights, and as workflows around the list
// of tools let them.
type views struct {
	plans        *Plans
	callees      atomic.Pointer[func() callees]              // of the operator's documents and of saved graphs
	clients      *process.SnapshotCache[string, *view]       // by client
	limited      *process.SnapshotCache[string, limitedView] // by the keys of rights
	exposePrefix string                                      // of the names of downstream tools, where {server} is the server
}

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
func (vw *views) Hidden(ctx context.Context, server, tool string) bool {
	if r := request.RightsFrom(ctx); r != nil && !r.Tool(server, tool) {
		return true
	}
	v := vw.clientView(ctx)
	return v != nil && v.hidden[[2]string{server, tool}]
}

// ListRefused is why the client that an operation is done for gets no list of tools, and can
// use no tool of a server; nil if it gets one.
func (vw *views) ListRefused(ctx context.Context) error {
	if v := vw.clientView(ctx); v != nil {
		return v.refused
	}
	return nil
}

// ListFault is ListRefused as a fault.
func (vw *views) ListFault(ctx context.Context) *diag.Fault {
	err := vw.ListRefused(ctx)
	if err == nil {
		return nil
	}
	return diag.Faultf(policy.CodeToolDenied, "the tools of servers cannot be used: tools/list is refused: %w", err).WithHint("ask the operator to correct the workflow around tools/list")
}

// Snapshot is the catalog as the client that an operation is done for sees it.
func (vw *views) Snapshot(ctx context.Context) *catalog.Snapshot {
	if v := vw.clientView(ctx); v != nil {
		return v.snapshot
	}
	return vw.allowed(ctx)
}

// clientView is what a client sees, nil if that is everything.
func (vw *views) clientView(ctx context.Context) *view {
	filter := vw.plans.policy.Filter()
	client, ok := request.ClientID(ctx)
	if filter == nil || !ok || request.IsForOperator(ctx) {
		return nil
	}
	all, now := vw.plans.Catalog.Snapshot(), time.Now()
	snap := vw.allowed(ctx)
	v, _ := vw.clients.Get(all, client)
	if v == nil || v.from != snap || now.After(v.until) {
		v = vw.look(ctx, filter, client, snap)
		v.until = now.Add(seenFor)
		vw.clients.Add(vw.plans.Catalog, all, client, v)
	}
	return v
}

// look asks a filter which downstream tools a client sees.
func (vw *views) look(ctx context.Context, filter policy.ToolFilter, client string, snap *catalog.Snapshot) *view {
	v := &view{from: snap, hidden: map[[2]string]bool{}}
	var all []policy.ListedTool
	for _, o := range vw.plans.servers.Offers(servers.Expose{Prefix: vw.exposePrefix}) {
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

// Filter makes f change what clients see; nil changes nothing.
func (vw *views) Filter(f policy.ToolFilter) {
	if f == nil {
		vw.plans.policy.SetFilter(nil)
	} else {
		vw.plans.policy.SetFilter(&f)
	}
	vw.clients.Clear()
	vw.plans.process.AnnounceOffer()
}
