package app

import (
	"context"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/servers/tooldef"
)

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
		a.EndWork()
		if a.Meaning != nil {
			a.Meaning.Close()
		}
		a.Runner.Close(ctx)
		if a.Hub != nil {
			a.Hub.Close()
		}
		a.closeFeatures()
		a.GraphsFollow.Close()
		a.Egress.Close()
		a.AwaitWork()
		a.Seen.Close()
		_ = a.Reports.Audit.Close()
		if a.lifecycle.flush != nil {
			a.lifecycle.flush()
		}
	})
}

// toolsListed files the tools of a server in the catalog. What saved graphs do
// depends on them, and runs may wait for them.
func (a *App) toolsListed(server string, tools []*tooldef.Tool) {
	a.Policies.Listed(server, tools)
	a.fileTools(server, tools)
	a.AnnounceOffer()
	if a.Saved != nil {
		a.GraphsFollow.Changed()
	}
	a.ServerReady(server)
}

// fileTools puts the tools of a server that are not denied into the catalog.
func (a *App) fileTools(server string, tools []*tooldef.Tool) {
	a.Plans.Catalog.Soon("server:"+server, a.Tagged(server, tooldef.Specs(a.AllowedTools(server, tools))))
}

// serverRemoved takes the tools of a server out of the catalog.
func (a *App) serverRemoved(server string) {
	a.Plans.Catalog.Soon("server:"+server, nil)
	if a.Saved != nil {
		a.GraphsFollow.Changed()
	}
	a.AnnounceOffer()
}

// ResumeRuns resumes the runs that an earlier process left and deletes the old
// ones, as the configuration says. It does so in the background, after [plans.Downstream.Start]
// and unless ctx ends or the App is closed before.
func (a *App) ResumeRuns(ctx context.Context) { a.resumeRuns(ctx, 0) }

// ResumeRunsLater is [App.ResumeRuns] for a server: it waits three seconds first.
func (a *App) ResumeRunsLater() { a.resumeRuns(a.Working, a.RecoverDelay) }

func (a *App) resumeRuns(ctx context.Context, delay time.Duration) {
	a.Background(func() {
		select {
		case <-a.Loaded():
		case <-ctx.Done():
			return
		case <-a.Working.Done():
			return
		}
		select {
		case <-time.After(delay):
			a.recoverAndPrune()
		case <-ctx.Done():
		case <-a.Working.Done():
		}
	})
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
	if _, fault := a.Runner.Prune(a.Project, before, runs.KeepBytes); fault != nil {
		a.Log.Warn("old runs cannot be deleted", "error", fault.Message)
	}
}

// Refresh looks at the saved graphs again: what they do depends on tools that may
// have come since.
func (a *App) Refresh() {
	a.GraphSpecs.File()
	a.refreshFeatures()
	a.Announce()
}

// lifecycle is from the configuration to the end of the work in the background.
type lifecycle struct {
	setup     Setup      // with which the App was opened
	reloading sync.Mutex // one reload at a time
	closed    sync.Once
	flush     func() // sends the last spans; nil: there are none
}
