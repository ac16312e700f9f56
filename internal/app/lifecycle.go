package app

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// The life of an App is New (or [Open]), [App.Start], its operations, and
// [App.Shutdown] or [App.Close]. Open starts nothing. Start connects to the servers.
// Both ends park the runs before they end the servers, so that no run fails because a
// server ends; Shutdown lets calls that have left return first.

// Start connects to downstream servers, to all of them unless some are named. It
// returns when the tools that are known at once are in the catalog: those of servers
// in this process and the lists that were cached. The other servers start in the
// background until [App.Close]. It may be called again for more servers.
func (a *App) Start(ctx context.Context, servers ...string) {
	a.background(func() { a.discovery.catalog.Snapshot() }) // indexes what the program has itself, while the cached lists are read
	release := a.library.graphsFollow.hold()
	if a.servers.hub != nil {
		a.servers.hub.Start(context.WithoutCancel(ctx), servers...)
	}
	release()
	a.lifecycle.started.Do(func() { close(a.lifecycle.loaded) })
}

// LoadCached puts the tools in the catalog that earlier processes have cached, and
// starts nothing. It returns the servers without cached lists.
func (a *App) LoadCached() (missing []string) {
	if a.servers.hub == nil {
		return nil
	}
	defer a.library.graphsFollow.hold()()
	return a.servers.hub.LoadCached()
}

// Loaded is closed when the first [App.Start] has returned.
func (a *App) Loaded() <-chan struct{} { return a.lifecycle.loaded }

// Close is [App.Shutdown] without time for calls that have left.
func (a *App) Close() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a.Shutdown(ctx)
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
func (a *App) Shutdown(ctx context.Context) {
	a.lifecycle.closed.Do(func() {
		a.listeners.mu.Lock()
		a.lifecycle.endWork() // nothing is added to work any more
		a.listeners.mu.Unlock()
		if a.discovery.meaning != nil {
			a.discovery.meaning.Close()
		}
		a.execution.runs.Close(ctx)
		if a.servers.hub != nil {
			a.servers.hub.Close()
		}
		a.around.hooks.close()
		a.library.graphsFollow.close()
		a.servers.egress.Close()
		a.lifecycle.work.Wait()
		a.discovery.seen.Close()
		_ = a.execution.audit.Close()
		if a.lifecycle.flush != nil {
			a.lifecycle.flush()
		}
	})
}

// toolsListed files the tools of a server in the catalog. What saved graphs do
// depends on them, and runs may wait for them.
func (a *App) toolsListed(server string, tools []*downstream.Tool) {
	a.policy.policies.listed(server, tools)
	a.discovery.catalog.Replace("server:"+server, a.tagged(server, downstream.Specs(a.allowedTools(server, tools))))
	a.announceOffer()
	if a.library.graphs != nil {
		a.library.graphsFollow.changed()
	}
	a.serverReady(server)
}

// serverRemoved takes the tools of a server out of the catalog.
func (a *App) serverRemoved(server string) {
	a.discovery.catalog.Replace("server:"+server, nil)
	if a.library.graphs != nil {
		a.library.graphsFollow.changed()
	}
	a.announceOffer()
}

// recoverDelay is how long after its first use a server resumes runs: a process that is
// started only to look lives shorter.
const recoverDelay = 3 * time.Second

// ResumeRuns resumes the runs that an earlier process left and deletes the old
// ones, as the configuration says. It does so in the background, after [App.Start]
// and unless ctx ends or the App is closed before.
func (a *App) ResumeRuns(ctx context.Context) { a.resumeRuns(ctx, 0) }

// ResumeRunsLater is [App.ResumeRuns] for a server: it waits three seconds first.
func (a *App) ResumeRunsLater() { a.resumeRuns(a.lifecycle.working, a.execution.recoverDelay) }

func (a *App) resumeRuns(ctx context.Context, delay time.Duration) {
	a.background(func() {
		select {
		case <-a.lifecycle.loaded:
		case <-ctx.Done():
			return
		case <-a.lifecycle.working.Done():
			return
		}
		select {
		case <-time.After(delay):
			a.recoverAndPrune()
		case <-ctx.Done():
		case <-a.lifecycle.working.Done():
		}
	})
}

// background does work that Shutdown waits for, nothing after it.
func (a *App) background(f func()) {
	a.listeners.mu.Lock()
	defer a.listeners.mu.Unlock()
	if a.lifecycle.working.Err() == nil {
		a.lifecycle.work.Go(f)
	}
}

func (a *App) recoverAndPrune() {
	runs := a.Config().Runs
	if !runs.NoRecover {
		a.Recover()
	}
	var before time.Time // without a bound on their age
	if runs.Keep > 0 {
		before = time.Now().Add(-runs.Keep)
	}
	if _, fault := a.execution.runs.Prune(a.execution.project, before, runs.KeepBytes); fault != nil {
		a.log.Warn("old runs cannot be deleted", "error", fault.Message)
	}
}

// AwaitServers waits until no server is starting any more, each as long as limit
// says at most and not at all for 0. It returns the cause of the end of ctx.
func (a *App) AwaitServers(ctx context.Context, limit func(downstream.Status) time.Duration) error {
	if a.servers.hub == nil {
		return nil
	}
	var all sync.WaitGroup
	for _, s := range a.servers.hub.Status() {
		if wait := limit(s); s.State != "failed" && wait > 0 {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(ctx, wait)
				defer cancel()
				_ = a.servers.hub.Ready(ctx, s.Name)
			})
		}
	}
	all.Wait()
	a.library.graphsFollow.flush()
	return context.Cause(ctx)
}

// NeededServers returns the servers that the ids of nodes name. Others reports that an
// id names none and is not in the catalog: any server may have it.
func (a *App) NeededServers(nodes []string) (needed []string, others bool) {
	snap := a.discovery.catalog.Snapshot()
	var servers []downstream.Status
	if a.servers.hub != nil {
		servers = a.servers.hub.Status()
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
