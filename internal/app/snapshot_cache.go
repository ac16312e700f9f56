package app

import (
	"sync"

	"github.com/patchbay-mcp/patchbay/catalog"
)

// A snapshotCache keeps what follows from the latest state of the catalog that somebody
// asked about: an older one is not kept in memory by it. The zero cache is empty. It is
// safe for concurrent use.
type snapshotCache[K comparable, V any] struct {
	mu   sync.Mutex
	of   *catalog.Snapshot
	kept map[K]V
}

// get returns what is kept of a state of the catalog.
func (c *snapshotCache[K, V]) get(of *catalog.Snapshot, key K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == of {
		v, ok = c.kept[key]
	}
	return v, ok
}

// add keeps a value, if the state of the catalog is still the latest, and most values at
// most: then it begins anew.
func (c *snapshotCache[K, V]) add(from *catalog.Catalog, of *catalog.Snapshot, key K, v V, most int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if from.Snapshot() != of {
		return
	}
	if c.of != of || len(c.kept) >= most {
		c.of, c.kept = of, map[K]V{}
	}
	c.kept[key] = v
}

// clear lets go of everything.
func (c *snapshotCache[K, V]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of, c.kept = nil, nil
}
