package app

import (
	"context"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/downstream"
)

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
func (pb *App) Sync(ctx context.Context, in SyncInput) (*SyncResult, *diag.Fault) {
	r := &SyncResult{Servers: []SyncedServer{}}
	var names []string
	for _, name := range in.Servers {
		if _, fault := pb.statusOf(name); fault != nil {
			return nil, fault
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		for _, s := range pb.Status() {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return r, nil
	}
	pb.LoadCached()
	before := map[string]map[string]string{}
	for _, name := range names {
		before[name] = pb.hashes(name)
	}
	pb.Start(ctx, names...)
	if err := pb.AwaitServers(ctx, func(s downstream.Status) time.Duration {
		if slices.Contains(names, s.Name) {
			return maxSyncWait
		}
		return 0
	}); err != nil {
		return nil, diag.Faultf("cancelled", "the command was interrupted while it waited for servers")
	}
	for _, name := range names {
		s := pb.synced(name, before[name])
		r.Servers = append(r.Servers, s)
		r.failed = r.failed || s.State != "ready" || len(s.Waiting) > 0
	}
	return r, nil
}

// hashes are those of a server's tools, by name.
func (pb *App) hashes(server string) map[string]string {
	all := map[string]string{}
	for _, t := range pb.hub.Tools(server) {
		all[t.Name] = t.Hash
	}
	return all
}

func (pb *App) synced(server string, before map[string]string) SyncedServer {
	s := SyncedServer{Waiting: pb.hub.Waiting(server)}
	s.Status, _ = pb.statusOf(server)
	if s.State != "ready" {
		return s
	}
	after := pb.hashes(server)
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
