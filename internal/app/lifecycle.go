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

// The life of an App is New (or [Open]), [App.Start], its operations, and
// [App.Shutdown] or [App.Close]. Open starts nothing. Start connects to the servers.
// Both ends park the runs before they end the servers, so that no run fails because a
// server ends; Shutdown lets calls that have left return first.

// Start connects to downstream servers, to all of them unless some are named. It
// returns when the tools that are known at once are in the catalog: those of servers
// in this process and the lists that were cached. The other servers start in the
// background until [App.Close]. It may be called again for more servers.
func (pb *App) Start(ctx context.Context, servers ...string) {
	pb.background(func() { pb.catalog.Snapshot() }) // indexes what the program has itself, while the cached lists are read
	release := pb.graphsFollow.hold()
	if pb.hub != nil {
		pb.hub.Start(context.WithoutCancel(ctx), servers...)
	}
	release()
	pb.started.Do(func() { close(pb.loaded) })
}

// LoadCached puts the tools in the catalog that earlier processes have cached, and
// starts nothing. It returns the servers of which none are cached.
func (pb *App) LoadCached() (missing []string) {
	if pb.hub == nil {
		return nil
	}
	defer pb.graphsFollow.hold()()
	return pb.hub.LoadCached()
}

// Loaded is closed when the first [App.Start] has returned.
func (pb *App) Loaded() <-chan struct{} { return pb.loaded }

// Close is [App.Shutdown] without time for calls that have left.
func (pb *App) Close() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	pb.Shutdown(ctx)
}

// Shutdown ends the App, in this order:
//
//  1. No run begins any more, and none takes another step. Calls that have left may
//     return until ctx ends.
//  2. The runs are parked, and their store is written and closed.
//  3. The sessions with servers end, and the processes that were started.
//  4. The last spans are sent.
//
// Every call of it or of Close returns when that is done, two seconds after ctx has
// ended at most, unless the disk is slow.
func (pb *App) Shutdown(ctx context.Context) {
	pb.closed.Do(func() {
		pb.mu.Lock()
		pb.endWork() // nothing is added to work any more
		pb.mu.Unlock()
		if pb.meaning != nil {
			pb.meaning.Close()
		}
		pb.runs.Close(ctx)
		if pb.hub != nil {
			pb.hub.Close()
		}
		pb.hooks.close()
		pb.graphsFollow.close()
		pb.egress.Close()
		pb.work.Wait()
		pb.seen.Close()
		_ = pb.audit.Close()
		if pb.flush != nil {
			pb.flush()
		}
	})
}

// toolsListed files the tools of a server in the catalog. What saved graphs do
// depends on them, and runs may wait for them.
func (pb *App) toolsListed(server string, tools []*downstream.Tool) {
	pb.policies.listed(server, tools)
	pb.catalog.Replace("server:"+server, pb.tagged(server, downstream.Specs(pb.allowedOf(server, tools))))
	pb.announceOffer()
	if pb.graphs != nil {
		pb.graphsFollow.changed()
	}
	pb.serverReady(server)
}

// serverRemoved takes the tools of a server out of the catalog.
func (pb *App) serverRemoved(server string) {
	pb.catalog.Replace("server:"+server, nil)
	if pb.graphs != nil {
		pb.graphsFollow.changed()
	}
	pb.announceOffer()
}

// recoverDelay is how long after its first use a server resumes runs: a process that is
// started only to look lives shorter.
const recoverDelay = 3 * time.Second

// ResumeRuns resumes the runs that an earlier process left and deletes the old
// ones, as the configuration says. It does so in the background, after [App.Start]
// and unless ctx ends or the App is closed before.
func (pb *App) ResumeRuns(ctx context.Context) { pb.resumeRuns(ctx, 0) }

// ResumeRunsLater is [App.ResumeRuns] for a server: it waits three seconds first.
func (pb *App) ResumeRunsLater() { pb.resumeRuns(pb.working, pb.recoverDelay) }

func (pb *App) resumeRuns(ctx context.Context, delay time.Duration) {
	if pb.Config() == nil {
		return
	}
	pb.background(func() {
		select {
		case <-pb.loaded:
		case <-ctx.Done():
			return
		case <-pb.working.Done():
			return
		}
		select {
		case <-time.After(delay):
			pb.recoverAndPrune()
		case <-ctx.Done():
		case <-pb.working.Done():
		}
	})
}

// background does work that Shutdown waits for, nothing after it.
func (pb *App) background(f func()) {
	pb.mu.Lock()
	defer pb.mu.Unlock()
	if pb.working.Err() == nil {
		pb.work.Go(f)
	}
}

func (pb *App) recoverAndPrune() {
	runs := pb.Config().Runs
	if !runs.NoRecover {
		pb.Recover()
	}
	var before time.Time // without a bound on their age
	if runs.Keep > 0 {
		before = time.Now().Add(-runs.Keep)
	}
	if _, fault := pb.runs.Prune(pb.project, before, runs.KeepBytes); fault != nil {
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
