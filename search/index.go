package search

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/specs"
)

// An Index is the searchable form of a catalog, by origin. Writers wait for one
// another; readers wait for nobody.
type Index struct {
	mu      sync.Mutex // serialises writers
	a       *analyzer  // guarded by mu
	current atomic.Pointer[Snapshot]
}

// New returns an empty index.
func New() *Index {
	x := &Index{a: newAnalyzer()}
	x.current.Store(newSnapshot(nil))
	return x
}

// Replace makes list the specs of one origin: a server, "built-in", "graphs",
// "pack:…". Only that origin is indexed again. Searches that go on meanwhile see
// the catalog as it was; those that start after Replace returns see it as it is.
func (x *Index) Replace(origin string, list []*specs.Spec) {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := newSlice(origin, list, x.a)
	old := x.current.Load().slices
	i, found := slices.BinarySearchFunc(old, origin, func(s *slice, o string) int { return cmp.Compare(s.origin, o) })
	if found {
		next := slices.Clone(old)
		next[i] = s
		x.current.Store(newSnapshot(next))
		return
	}
	x.current.Store(newSnapshot(slices.Insert(slices.Clone(old), i, s)))
}

// Remove takes an origin's specs out of the index.
func (x *Index) Remove(origin string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	next := slices.DeleteFunc(slices.Clone(x.current.Load().slices), func(s *slice) bool { return s.origin == origin })
	x.current.Store(newSnapshot(next))
}

// Snapshot is the catalog as it stands. It never changes.
func (x *Index) Snapshot() *Snapshot { return x.current.Load() }

// A Snapshot is one state of the catalog, for as many searches as like.
type Snapshot struct {
	slices []*slice // by origin
	nodes  int
	mean   [fieldCount]float64 // terms per node and field
	sum    uint64              // fingerprint of the whole catalog
	opt    options
}

func newSnapshot(list []*slice) *Snapshot {
	s := &Snapshot{slices: list, opt: defaults}
	var total [fieldCount]uint64
	sum := fnv.New64a()
	for _, sl := range list {
		s.nodes += len(sl.specs)
		for f, n := range sl.total {
			total[f] += n
		}
		sum.Write(binary.BigEndian.AppendUint64(nil, sl.sum))
	}
	for f, n := range total {
		s.mean[f] = float64(n) / float64(max(1, s.nodes))
	}
	s.sum = sum.Sum64()
	return s
}

// Len is the number of specs.
func (s *Snapshot) Len() int { return s.nodes }
