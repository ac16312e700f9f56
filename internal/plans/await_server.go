package plans

import (
	"context"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

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
func (ds *Downstream) Sync(ctx context.Context, in SyncInput) (*SyncResult, *diag.Fault) {
	r := &SyncResult{Servers: []SyncedServer{}}
	var names []string
	for _, name := range in.Servers {
		s, fault := ds.ServerStatus(name)
		if fault != nil {
			return nil, fault
		}
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		for _, s := range ds.plans.servers.Status() {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return r, nil
	}
	ds.LoadCached()
	before := map[string]map[string]string{}
	for _, name := range names {
		before[name] = ds.hashes(name)
	}
	ds.Start(ctx, names...)
	if err := ds.AwaitServers(ctx, func(s downstream.Status) time.Duration {
		if slices.Contains(names, s.Name) {
			return servers.MaxSyncWait
		}
		return 0
	}); err != nil {
		return nil, diag.Faultf(diag.CodeCancelled, "the command was interrupted while it waited for servers")
	}
	for _, name := range names {
		s := ds.synced(name, before[name])
		r.Servers = append(r.Servers, s)
		r.failed = r.failed || s.State != "ready" || len(s.Waiting) > 0
	}
	return r, nil
}

// hashes are those of a server's tools, by name.
func (ds *Downstream) hashes(server string) map[string]string {
	all := map[string]string{}
	for _, t := range ds.plans.servers.Hub.Tools(server) {
		all[t.Name] = t.Hash
	}
	return all
}

func (ds *Downstream) synced(server string, before map[string]string) SyncedServer {
	s := SyncedServer{Waiting: slices.DeleteFunc(ds.plans.servers.Hub.Waiting(server), func(tool string) bool { return ds.plans.servers.Hub.Changed(server, tool) == nil })}
	s.Status, _ = ds.ServerStatus(server)
	if s.State != "ready" {
		return s
	}
	after := ds.hashes(server)
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
