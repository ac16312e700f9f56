// Package catalog is the live set of nodes: built-in kinds, the tools of
// downstream servers, saved graphs and knowledge packs. Each origin replaces its
// own segment; readers take a snapshot, which never changes, and never wait.
//
// It knows specs, their names and their index. It does not know where specs come
// from or what may be done with them. It imports specs, search and diag.
package catalog

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
)

// A Catalog is the live set of specs. It is safe for concurrent use; its readers
// take no lock, but for those that wait for what [Catalog.Later] has put off.
type Catalog struct {
	mu      sync.Mutex // serialises writers
	index   *search.Index
	current atomic.Pointer[Snapshot]
	settle  chan struct{} // holds a token while someone settles the index
	later   later

	watching sync.Mutex
	next     int
	watchers map[int]func()
}

// New returns an empty catalog.
func New() *Catalog {
	c := &Catalog{index: search.New(), settle: make(chan struct{}, 1), watchers: map[int]func(){}}
	c.current.Store(newSnapshot(nil, c.index.Snapshot()))
	return c
}

// Snapshot is the present state of the catalog.
func (c *Catalog) Snapshot() *Snapshot {
	c.fill()
	return c.current.Load()
}

// Replace makes list the specs of one origin: "built-in", a server, "graphs", a
// pack. The catalog and its search index change together, for readers at one
// instant; other origins cost nothing. A list that says what the origin already
// says changes nothing. The specs must not be changed afterwards; of two with one
// id the first counts.
//
// It returns when the change can be seen. What makes a large catalog cheaper to
// search again continues in the background, for a second at most.
func (c *Catalog) Replace(origin string, list []*specs.Spec) {
	if len(list) > 0 || c.later.has(origin) {
		c.fill() // first, so that the order in which specs are indexed does not depend on who reads
	}
	if c.replace(search.Change{Origin: origin, Specs: list}) {
		c.changed()
		c.settleLater()
	}
}

// replace makes changes together, and reports whether they change anything.
func (c *Catalog) replace(changes ...search.Change) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	made := c.index.PublishAll(changes...)
	if len(made) == 0 {
		return false
	}
	all := slices.Clone(c.current.Load().segments)
	for _, change := range made {
		next := newSegment(change.Origin, change.Specs)
		if i, found := find(all, change.Origin); found {
			all[i] = next
		} else {
			all = slices.Insert(all, i, next)
		}
	}
	c.current.Store(newSnapshot(all, c.index.Snapshot()))
	return true
}

// Widen makes searches use more word classes; nil takes them away.
func (c *Catalog) Widen(s *search.Synonyms) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.index.Widen(s)
	c.current.Store(&Snapshot{contents: c.current.Load().contents, index: c.index.Snapshot()})
}

// OnChange calls fn after every change, when [Catalog.Snapshot] already returns
// the new state, until stop is called. Calls come from the goroutine that made the change,
// and may overlap: fn should be quick.
func (c *Catalog) OnChange(fn func()) (stop func()) {
	c.watching.Lock()
	defer c.watching.Unlock()
	id := c.next
	c.next++
	c.watchers[id] = fn
	return func() {
		c.watching.Lock()
		defer c.watching.Unlock()
		delete(c.watchers, id)
	}
}

// changed calls the watchers in the order they came.
func (c *Catalog) changed() {
	c.watching.Lock()
	var fns []func()
	for _, id := range slices.Sorted(maps.Keys(c.watchers)) {
		fns = append(fns, c.watchers[id])
	}
	c.watching.Unlock()
	for _, fn := range fns {
		fn()
	}
}

// Settled reports whether no background work is left.
func (c *Catalog) Settled() bool { return len(c.settle) == 0 && c.Snapshot().index.Settled() }

// settleLater settles the index in the background when that is due. One goroutine at
// a time does it, for later changes too.
func (c *Catalog) settleLater() {
	if c.current.Load().index.Settled() {
		return
	}
	select {
	case c.settle <- struct{}{}:
	default:
		return
	}
	go func() {
		c.index.Settle()
		c.mu.Lock()
		c.current.Store(&Snapshot{contents: c.current.Load().contents, index: c.index.Snapshot()})
		c.mu.Unlock()
		<-c.settle
		c.settleLater() // a change that came while the token was held
	}()
}
