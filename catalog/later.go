package catalog

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/specs"
)

// later are the specs that are filed when the catalog is first read.
type later struct {
	due     atomic.Bool // origins is not empty
	filling sync.Mutex  // held while they are filed; guards origins
	origins []laterOrigin
}

type laterOrigin struct {
	name string
	list func() []*specs.Spec
	then func(*Snapshot) // in place of a list
}

// Later is [Catalog.Replace] when the catalog is read next, or other specs are filed, both of
// which wait for it: a program that does not need its catalog does not index it. The function
// must not use the catalog. Watchers are not called: who reads the catalog finds these specs.
func (c *Catalog) Later(origin string, list func() []*specs.Spec) {
	c.putOff(laterOrigin{name: origin, list: list})
}

// Then calls fn when the catalog is read next, or other specs are filed, after all that
// [Catalog.Later] has put off so far and with what the catalog has then. Both wait for it.
// It may file specs with file only, and read no other state of the catalog.
func (c *Catalog) Then(fn func(now *Snapshot, file func(origin string, list []*specs.Spec))) {
	c.putOff(laterOrigin{then: func(now *Snapshot) {
		fn(now, func(origin string, list []*specs.Spec) { c.replace(origin, list) })
	}})
}

func (c *Catalog) putOff(o laterOrigin) {
	c.later.filling.Lock()
	defer c.later.filling.Unlock()
	c.later.origins = append(c.later.origins, o)
	c.later.due.Store(true)
}

// has reports whether the specs of an origin are still to be filed.
func (l *later) has(origin string) bool {
	if !l.due.Load() {
		return false
	}
	l.filling.Lock()
	defer l.filling.Unlock()
	return slices.ContainsFunc(l.origins, func(o laterOrigin) bool { return o.name == origin })
}

// fill files what [Catalog.Later] has put off.
func (c *Catalog) fill() {
	if !c.later.due.Load() {
		return
	}
	c.later.filling.Lock()
	defer c.later.filling.Unlock()
	if !c.later.due.Load() {
		return // by another reader
	}
	for _, o := range c.later.origins {
		if o.then != nil {
			o.then(c.current.Load())
			continue
		}
		c.replace(o.name, o.list())
	}
	c.later.origins = nil
	c.later.due.Store(false)
	c.settleLater()
}
