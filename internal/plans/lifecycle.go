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

// The life of an App is New (or [Open]), [Plans.Start], its operations, and
// [app.App.Shutdown] or [app.App.Close]. Open starts nothing. Start connects to the servers.
// Both ends park the runs before they end the servers, so that no run fails because a
// server ends; Shutdown lets calls that have left return first.

// Start connects to downstream servers, to all of them unless some are named. It
// returns when the tools that are known at once are in the catalog: those of servers
// in this process and the lists that were cached. The other servers start in the
// background until [app.App.Close]. It may be called again for more servers.
func (pl *Plans) Start(ctx context.Context, servers ...string) {
	pl.process.Background(func() { pl.Catalog.Snapshot() }) // indexes what the program has itself, while the cached lists are read
	release := pl.GraphsFollow.Hold()
	if pl.servers.Hub != nil {
		pl.servers.Hub.Start(context.WithoutCancel(ctx), servers...)
	}
	release()
	pl.process.MarkLoaded()
}

// LoadCached puts the tools in the catalog that earlier processes have cached, and
// starts nothing. It returns the servers without cached lists.
func (pl *Plans) LoadCached() (missing []string) {
	if pl.servers.Hub == nil {
		return nil
	}
	defer pl.GraphsFollow.Hold()()
	return pl.servers.Hub.LoadCached()
}

// AwaitServers waits until no server is starting any more, each as long as limit
// says at most and not at all for 0. It returns the cause of the end of ctx.
func (pl *Plans) AwaitServers(ctx context.Context, limit func(downstream.Status) time.Duration) error {
	if pl.servers.Hub == nil {
		return nil
	}
	var all sync.WaitGroup
	for _, s := range pl.servers.Hub.Status() {
		if wait := limit(s); s.State != "failed" && wait > 0 {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(ctx, wait)
				defer cancel()
				_ = pl.servers.Hub.Ready(ctx, s.Name)
			})
		}
	}
	all.Wait()
	pl.GraphsFollow.Flush()
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
