package process

import (
	"sync"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
)

// A CacheUse counts how often a cache had what was asked of it.
type CacheUse struct{ Hits, Misses atomic.Uint64 }

// Note counts one question.
func (u *CacheUse) Note(hit bool) {
	if hit {
		u.Hits.Add(1)
	} else {
		u.Misses.Add(1)
	}
}

// Caches returns the use of the caches of this process, by name: plans (compiled graphs),
// schemas (compiled schemas of tools) and tool_lists (of servers, on disk, at their
// start).
func (p *Process) Caches() map[string]*CacheUse {
	return map[string]*CacheUse{"plans": &p.CacheUse.Plans, "schemas": &p.CacheUse.Schemas, "tool_lists": &p.CacheUse.ToolLists}
}

// cacheUses are the counters of the caches.
type cacheUses struct{ Plans, Schemas, ToolLists CacheUse }

// A SnapshotCache has what follows from the latest state of the catalog that somebody asked
// about, so that it holds no older state in memory. It is safe for concurrent use.
type SnapshotCache[K comparable, V any] struct {
	mu      sync.Mutex
	of      *catalog.Snapshot
	entries *cache.Cache[K, V]
}

// NewSnapshotCache returns a cache with the bounds of entries.
func NewSnapshotCache[K comparable, V any](entries *cache.Cache[K, V]) *SnapshotCache[K, V] {
	return &SnapshotCache[K, V]{entries: entries}
}

// Get returns the value of a key for a state of the catalog.
func (c *SnapshotCache[K, V]) Get(of *catalog.Snapshot, key K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == of {
		v, ok = c.entries.Get(key)
	}
	return v, ok
}

// Add adds a value, or replaces one, if the state of the catalog is still the latest.
func (c *SnapshotCache[K, V]) Add(from *catalog.Catalog, of *catalog.Snapshot, key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if from.Snapshot() != of {
		return
	}
	if c.of != of {
		c.of = of
		c.entries.Purge()
	}
	c.entries.Set(key, v)
}

// Clear removes everything.
func (c *SnapshotCache[K, V]) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of = nil
	c.entries.Purge()
}
