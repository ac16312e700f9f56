package app

import (
	"context"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

const (
	// How long a run in the background waits for a server that has failed, and is
	// started again. It waits for one that is starting as long as that takes: servers
	// start together with Patchbay.
	failedTimeout = time.Minute

	firstPoll = 50 * time.Millisecond // doubled from one look at a server to the next
	maxPoll   = 5 * time.Second
)

// awaitServer waits, for a run that was resumed in the background, until a server is
// ready. The fault says that it has failed for a while or cannot be there, or that the
// context has ended. For other runs it does nothing.
func (a *App) awaitServer(ctx context.Context, server string) *diag.Fault {
	if a.servers.hub == nil || !runs.InBackground(ctx) {
		return nil
	}
	began := time.Now()
	for delay := firstPoll; ; delay = min(2*delay, maxPoll) {
		fault := a.servers.hub.Ready(ctx, server)
		starting := fault != nil && fault.Code == diag.CodeServerStarting
		failing := fault != nil && fault.Code == diag.CodeServerFailed && time.Since(began) < failedTimeout
		if !starting && !failing {
			return fault
		}
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return fault
		}
	}
}

// maxSyncWait is how long a server may take to list its tools.
const maxSyncWait = 3 * time.Minute

// SyncInput names the servers whose tools are listed again.
type SyncInput struct {
	Servers []string `json:"servers,omitempty" jsonschema:"the servers; none means all" arg:"[NAME…]"`
}

// SyncResult says what has changed since the tools were listed last.
type SyncResult struct {
	Servers []SyncedServer `json:"servers"`
	failed  bool
}

// A SyncedServer is what has changed in one server.
type SyncedServer struct {
	downstream.Status
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
	Changed []string `json:"changed,omitempty"` // and accepted
	Waiting []string `json:"waiting,omitempty"` // for patchbay mcp approve
}

// Failed reports whether a server could not list its tools, or one waits for a person.
func (r *SyncResult) Failed() bool { return r.failed }

// Sync starts servers, lists their tools and compares them with those that were known.
func (a *App) Sync(ctx context.Context, in SyncInput) (*SyncResult, *diag.Fault) {
	r := &SyncResult{Servers: []SyncedServer{}}
	var names []string
	for _, name := range in.Servers {
		s, fault := a.serverStatus(name)
		if fault != nil {
			return nil, fault
		}
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		for _, s := range a.Status() {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return r, nil
	}
	a.LoadCached()
	before := map[string]map[string]string{}
	for _, name := range names {
		before[name] = a.hashes(name)
	}
	a.Start(ctx, names...)
	if err := a.AwaitServers(ctx, func(s downstream.Status) time.Duration {
		if slices.Contains(names, s.Name) {
			return maxSyncWait
		}
		return 0
	}); err != nil {
		return nil, diag.Faultf(diag.CodeCancelled, "the command was interrupted while it waited for servers")
	}
	for _, name := range names {
		s := a.synced(name, before[name])
		r.Servers = append(r.Servers, s)
		r.failed = r.failed || s.State != "ready" || len(s.Waiting) > 0
	}
	return r, nil
}

// hashes are those of a server's tools, by name.
func (a *App) hashes(server string) map[string]string {
	all := map[string]string{}
	for _, t := range a.servers.hub.Tools(server) {
		all[t.Name] = t.Hash
	}
	return all
}

func (a *App) synced(server string, before map[string]string) SyncedServer {
	s := SyncedServer{Waiting: slices.DeleteFunc(a.servers.hub.Waiting(server), func(tool string) bool { return a.servers.hub.Changed(server, tool) == nil })}
	s.Status, _ = a.serverStatus(server)
	if s.State != "ready" {
		return s
	}
	after := a.hashes(server)
	for name, hash := range after {
		switch was, known := before[name]; {
		case !known:
			s.Added = append(s.Added, name)
		case was != hash:
			s.Changed = append(s.Changed, name)
		}
	}
	for name := range before {
		if _, still := after[name]; !still && !slices.Contains(s.Waiting, name) {
			s.Removed = append(s.Removed, name)
		}
	}
	slices.Sort(s.Added)
	slices.Sort(s.Changed)
	slices.Sort(s.Removed)
	return s
}
