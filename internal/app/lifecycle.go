package app

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/downstream"
)

// The life of an App is New (or [Open]), [App.Start], its operations, [App.Close].
// Open starts nothing. Start connects to the servers. Close parks the runs before it
// ends the servers, so that no run fails because a server ends.

// Start connects to downstream servers, to all of them unless some are named. It
// returns when the tools that are known at once are in the catalog: those of servers
// in this process and the lists that were cached. The other servers start in the
// background until [App.Close]. It may be called again for more servers.
func (pb *App) Start(ctx context.Context, servers ...string) {
	release := pb.graphsFollow.hold()
	if pb.hub != nil {
		pb.hub.Start(context.WithoutCancel(ctx), servers...)
	}
	release()
	pb.started.Do(func() { close(pb.loaded) })
}

// Loaded is closed when the first [App.Start] has returned.
func (pb *App) Loaded() <-chan struct{} { return pb.loaded }

// Close ends the App, in this order: no run begins any more, the runs in progress
// are parked and the store of runs is closed; sessions with servers end; the last
// spans are sent. Every call returns when that is done.
func (pb *App) Close() {
	pb.closed.Do(func() {
		pb.runs.Close()
		if pb.hub != nil {
			pb.hub.Close()
		}
		pb.graphsFollow.close()
		pb.egress.Close()
		if pb.flush != nil {
			pb.flush()
		}
	})
}

// toolsListed files the tools of a server in the catalog. What saved graphs do
// depends on them.
func (pb *App) toolsListed(server string, tools []*downstream.Tool) {
	pb.catalog.Replace("server:"+server, downstream.Specs(tools))
	if pb.graphs != nil {
		pb.graphsFollow.changed()
	}
}

// ResumeRuns resumes the runs that an earlier process left and deletes the old
// ones, as the configuration says. It does so in the background, after [App.Start]
// and unless ctx ends before.
func (pb *App) ResumeRuns(ctx context.Context) {
	if pb.config == nil {
		return
	}
	go func() {
		select {
		case <-pb.loaded:
			pb.recoverAndPrune(ctx)
		case <-ctx.Done():
		}
	}()
}

func (pb *App) recoverAndPrune(ctx context.Context) {
	runs := pb.config.Runs
	if !runs.NoRecover {
		pb.Recover()
	}
	var before time.Time // without a bound on their age
	if runs.Keep > 0 {
		before = time.Now().Add(-runs.Keep)
	}
	if _, fault := pb.Prune(ctx, before, runs.KeepBytes); fault != nil {
		pb.log.Warn("old runs cannot be deleted", "error", fault.Message)
	}
}

// AwaitServers waits until no server is starting any more, each as long as limit
// says at most and not at all for 0. It returns the cause of the end of ctx.
func (pb *App) AwaitServers(ctx context.Context, limit func(downstream.Status) time.Duration) error {
	if pb.hub == nil {
		return nil
	}
	var all sync.WaitGroup
	for _, s := range pb.hub.Status() {
		if wait := limit(s); s.State != "failed" && wait > 0 {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(ctx, wait)
				defer cancel()
				_ = pb.hub.Ready(ctx, s.Name)
			})
		}
	}
	all.Wait()
	pb.graphsFollow.flush()
	return context.Cause(ctx)
}

// ServersOf returns the servers that the ids of nodes name. Others reports that an
// id names none and is not in the catalog: any server may have it.
func (pb *App) ServersOf(nodes []string) (needed []string, others bool) {
	snap := pb.catalog.Snapshot()
	var servers []downstream.Status
	if pb.hub != nil {
		servers = pb.hub.Status()
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
