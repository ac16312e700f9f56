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
func (pl *Plans) Sync(ctx context.Context, in SyncInput) (*SyncResult, *diag.Fault) {
	r := &SyncResult{Servers: []SyncedServer{}}
	var names []string
	for _, name := range in.Servers {
		s, fault := pl.ServerStatus(name)
		if fault != nil {
			return nil, fault
		}
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		for _, s := range pl.servers.Status() {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return r, nil
	}
	pl.LoadCached()
	before := map[string]map[string]string{}
	for _, name := range names {
		before[name] = pl.hashes(name)
	}
	pl.Start(ctx, names...)
	if err := pl.AwaitServers(ctx, func(s downstream.Status) time.Duration {
		if slices.Contains(names, s.Name) {
			return servers.MaxSyncWait
		}
		return 0
	}); err != nil {
		return nil, diag.Faultf(diag.CodeCancelled, "the command was interrupted while it waited for servers")
	}
	for _, name := range names {
		s := pl.synced(name, before[name])
		r.Servers = append(r.Servers, s)
		r.failed = r.failed || s.State != "ready" || len(s.Waiting) > 0
	}
	return r, nil
}

// hashes are those of a server's tools, by name.
func (pl *Plans) hashes(server string) map[string]string {
	all := map[string]string{}
	for _, t := range pl.servers.Hub.Tools(server) {
		all[t.Name] = t.Hash
	}
	return all
}

func (pl *Plans) synced(server string, before map[string]string) SyncedServer {
	s := SyncedServer{Waiting: slices.DeleteFunc(pl.servers.Hub.Waiting(server), func(tool string) bool { return pl.servers.Hub.Changed(server, tool) == nil })}
	s.Status, _ = pl.ServerStatus(server)
	if s.State != "ready" {
		return s
	}
	after := pl.hashes(server)
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
