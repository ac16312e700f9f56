package plans

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// The life of an App is New (or [Open]), [Downstream.Start], its operations, and
// [app.App.Shutdown] or [app.App.Close]. Open starts nothing. Start connects to the servers.
// Both ends park the runs before they end the servers, so that no run fails because a
// server ends; Shutdown lets calls that have left return first.

// Start connects to downstream servers, to all of them unless some are named. It
// returns when the tools that are known at once are in the catalog: those of servers
// in this process and the lists that were cached. The other servers start in the
// background until [app.App.Close]. It may be called again for more servers.
func (ds *Downstream) Start(ctx context.Context, servers ...string) {
	ds.plans.process.Background(func() { ds.plans.Catalog.Snapshot() }) // indexes what the program has itself, while the cached lists are read
	release := ds.plans.GraphsFollow.Hold()
	if ds.plans.servers.Hub != nil {
		ds.plans.servers.Hub.Start(context.WithoutCancel(ctx), servers...)
	}
	release()
	ds.plans.process.MarkLoaded()
}

// LoadCached puts the tools in the catalog that earlier processes have cached, and
// starts nothing. It returns the servers without cached lists.
func (ds *Downstream) LoadCached() (missing []string) {
	if ds.plans.servers.Hub == nil {
		return nil
	}
	defer ds.plans.GraphsFollow.Hold()()
	return ds.plans.servers.Hub.LoadCached()
}

// AwaitServers waits until no server is starting any more, each as long as limit
// says at most and not at all for 0. It returns the cause of the end of ctx.
func (ds *Downstream) AwaitServers(ctx context.Context, limit func(downstream.Status) time.Duration) error {
	if ds.plans.servers.Hub == nil {
		return nil
	}
	var all sync.WaitGroup
	for _, s := range ds.plans.servers.Hub.Status() {
		if wait := limit(s); s.State != "failed" && wait > 0 {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(ctx, wait)
				defer cancel()
				_ = ds.plans.servers.Hub.Ready(ctx, s.Name)
			})
		}
	}
	all.Wait()
	ds.plans.GraphsFollow.Flush()
	return context.Cause(ctx)
}

// NeededServers returns the servers that the ids of nodes name. Others reports that an
// id names none and is not in the catalog: any server may have it.
func NeededServers(pl *Plans, nodes []string) (needed []string, others bool) {
	snap := pl.Catalog.Snapshot()
	var servers []downstream.Status
	if pl.servers.Hub != nil {
		servers = pl.servers.Hub.Status()
	}
	for _, id := range nodes {
		spec, _ := snap.Resolve(catalog.Ref{ID: id})
		if spec != nil && spec.ID() == id || strings.HasPrefix(id, "graph:") {
			continue
		}
		i := slices.IndexFunc(servers, func(s downstream.Status) bool {
			return strings.HasPrefix(strings.TrimPrefix(id, "mcp:"), s.Name+"/")
		})
		if i < 0 {
			others = true
			continue
		}
		needed = append(needed, servers[i].Name)
	}
	return needed, others
}
