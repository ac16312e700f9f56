package catalog

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchbay-mcp/patchbay/search"
	"github.com/patchbay-mcp/patchbay/specs"
)

// later are the specs that are filed when the catalog is next read.
type later struct {
	due     atomic.Bool // origins is not empty, or they are being filed
	filling sync.Mutex  // held while they are filed
	news    atomic.Bool // what they have changed is still to be reported

	mu      sync.Mutex // guards what follows
	origins []laterOrigin
	taken   []laterOrigin // of them, those that are being filed
	timed   bool          // a timer is going to file and report them
}

type laterOrigin struct {
	name string
	list func() []*specs.Spec
	then func(*Snapshot) // in place of a list
	soon bool            // its change is reported
}

// Later is [Catalog.Replace] when the catalog is read next, or other specs are filed, both of
// which wait for it: a program that does not need its catalog does not index it. The function
// must not use the catalog. Watchers are not called: who reads the catalog finds these specs.
func (c *Catalog) Later(origin string, list func() []*specs.Spec) {
	c.putOff(laterOrigin{name: origin, list: list})
}

// gatherTime is for how long [Catalog.Soon] gathers changes.
const gatherTime = 50 * time.Millisecond

// Soon is [Catalog.Replace] when the catalog is read next, and after 50 ms at most, together
// with what has come by then: servers that start together change the catalog once.
func (c *Catalog) Soon(origin string, list []*specs.Spec) {
	c.putOff(laterOrigin{name: origin, list: func() []*specs.Spec { return list }, soon: true})
}

// Then calls fn when the catalog is read next, or other specs are filed, after all that
// [Catalog.Later] has put off so far and with what the catalog has then. Both wait for it.
// It may file specs with file only, and read no other state of the catalog.
func (c *Catalog) Then(fn func(now *Snapshot, file func(origin string, list []*specs.Spec))) {
	c.putOff(laterOrigin{then: func(now *Snapshot) {
		fn(now, func(origin string, list []*specs.Spec) { c.replace(search.Change{Origin: origin, Specs: list}) })
	}})
}

func (c *Catalog) putOff(o laterOrigin) {
	l := &c.later
	l.mu.Lock()
	defer l.mu.Unlock()
	l.origins = append(l.origins, o)
	l.due.Store(true)
	if o.soon && !l.timed {
		l.timed = true
		time.AfterFunc(gatherTime, c.report)
	}
}

// report files what [Catalog.Soon] has put off, and calls the watchers if that, or a reader
// that was faster, has changed anything.
func (c *Catalog) report() {
	c.later.mu.Lock()
	c.later.timed = false
	c.later.mu.Unlock()
	c.fill()
	if c.later.news.Swap(false) {
		c.changed()
	}
}

// has reports whether the specs of an origin are still to be filed.
func (l *later) has(origin string) bool {
	if !l.due.Load() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(slices.Concat(l.taken, l.origins), func(o laterOrigin) bool { return o.name == origin })
}

// take returns what is to be filed now. If there is nothing, nothing is due any more.
func (l *later) take() []laterOrigin {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken, l.origins = l.origins, nil
	l.due.Store(len(l.taken) > 0)
	return l.taken
}

// fill files what has been put off.
func (c *Catalog) fill() {
	if !c.later.due.Load() {
		return
	}
	c.later.filling.Lock()
	defer c.later.filling.Unlock()
	for origins := c.later.take(); len(origins) > 0; origins = c.later.take() {
		var list []search.Change
		reported := false
		file := func() {
			if c.replace(list...) && reported {
				c.later.news.Store(true)
			}
			list = nil
		}
		for _, o := range origins {
			if o.then == nil {
				list, reported = append(list, search.Change{Origin: o.name, Specs: o.list()}), reported || o.soon
				continue
			}
			file()
			o.then(c.current.Load())
		}
		file()
	}
	c.settleLater()
}
