package app

import "sync/atomic"

// A CacheUse counts how often a cache had what was asked of it.
type CacheUse struct{ Hits, Misses atomic.Uint64 }

// note counts one question.
func (u *CacheUse) note(hit bool) {
	if hit {
		u.Hits.Add(1)
	} else {
		u.Misses.Add(1)
	}
}

// Caches returns the use of the caches of this process, by name: plans (compiled graphs),
// schemas (compiled schemas of tools) and tool_lists (of servers, on disk, at their
// start).
func (pb *App) Caches() map[string]*CacheUse {
	return map[string]*CacheUse{"plans": &pb.cacheUse.plans, "schemas": &pb.cacheUse.schemas, "tool_lists": &pb.cacheUse.toolLists}
}

// cacheUses are the counters of the caches.
type cacheUses struct{ plans, schemas, toolLists CacheUse }
