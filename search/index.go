package search

import (
	"cmp"
	"hash/fnv"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/specs"
)

// An Index is the searchable form of a catalog, by origin. Writers wait for one
// another, but not for a merge; readers never wait.
type Index struct {
	mu      sync.Mutex // serialises writers
	a       *analyzer
	words   *vocabulary
	live    int // terms when the vocabulary was last begun anew
	current atomic.Pointer[Snapshot]

	synonyms *Synonyms // nil without any

	merging sync.Mutex // serialises merges; taken before mu
}

// New returns an empty index.
func New() *Index {
	x := &Index{a: newAnalyzer(), words: newVocabulary(), live: liveTerms}
	x.current.Store(newSnapshot(x.words, nil, nil))
	return x
}

// Replace makes list the specs of one origin: a server, "built-in", "graphs",
// "pack:…"; an empty list removes them. Only that origin is indexed again. Searches in progress see
// the catalog as it was; those that start after Replace returns see it as it is.
func (x *Index) Replace(origin string, list []*specs.Spec) {
	x.Publish(origin, list)
	x.Settle()
}

// Publish is [Index.Replace] without its last step, [Index.Settle], which takes
// up to a second in a large catalog and changes only what searches cost. It
// reports false, and does nothing, when the origin already has these specs.
func (x *Index) Publish(origin string, list []*specs.Spec) (changed bool) {
	return len(x.PublishAll(Change{origin, list})) > 0
}

// A Change makes Specs those of an origin.
type Change struct {
	Origin string
	Specs  []*specs.Spec
}

// PublishAll is [Index.Publish] of many origins, which readers see together. It returns the
// changes of origins that do not have these specs already.
func (x *Index) PublishAll(changes ...Change) (made []Change) {
	x.mu.Lock()
	defer x.mu.Unlock()
	list := slices.Clone(x.current.Load().segments)
	for _, c := range changes {
		next := newSegment(c.Origin, c.Specs)
		i, found := findSegment(list, c.Origin)
		if found && list[i].sum == next.sum || !found && len(next.specs) == 0 {
			continue
		}
		made = append(made, c)
		if found {
			list = slices.Delete(list, i, i+1)
		}
		if len(next.specs) > 0 {
			next.analyze(x.a, x.words)
			list = slices.Insert(list, i, next)
		}
	}
	if len(made) > 0 {
		x.swap(list)
	}
	return made
}

func findSegment(list []*segment, origin string) (int, bool) {
	return slices.BinarySearchFunc(list, origin, func(s *segment, o string) int { return cmp.Compare(s.origin, o) })
}

// swap publishes a list of segments as the catalog.
func (x *Index) swap(list []*segment) {
	b := x.current.Load().base
	if x.words.len() > 4*x.live {
		x.renew(list)
		b = nil
	}
	x.publish(newSnapshot(x.words, list, b))
}

// publish makes s the present state.
func (x *Index) publish(s *Snapshot) {
	s.synonyms = x.synonyms
	x.current.Store(s)
}

// liveTerms is the least number of terms that a vocabulary is thought to need.
const liveTerms = 50_000

// renew indexes a catalog from its specs, with a vocabulary that has only its
// terms: servers that come and go would fill the old one for ever.
func (x *Index) renew(list []*segment) {
	x.words = newVocabulary()
	for i, s := range list {
		list[i] = &segment{origin: s.origin, sum: s.sum, specs: s.specs, ids: s.ids}
		list[i].analyze(x.a, x.words)
	}
	x.live = max(liveTerms, x.words.len())
}

// Snapshot is the present state of the catalog. It never changes.
func (x *Index) Snapshot() *Snapshot { return x.current.Load() }

// A Snapshot is one state of the catalog, for as many searches as like.
type Snapshot struct {
	words    *vocabulary
	segments []*segment // by origin
	nodes    int
	counted  int                 // of them, for how rare a word is: all but idioms
	mean     [fieldCount]float64 // terms per node and field
	typical  [fieldCount]float64 // terms per node that has any in the field
	sum      uint64              // fingerprint of the whole catalog
	opt      options
	synonyms *Synonyms

	base  *base             // segments that are merged, nil before the first merge
	fresh []*segment        // those that base does not have
	gone  []*segment        // those of base that are no longer in the catalog
	left  map[*segment]bool // the same

	counts    func() []int32 // by term: nodes that have it
	spellings func() []spelling
}

func newSnapshot(words *vocabulary, list []*segment, b *base) *Snapshot {
	s := &Snapshot{words: words, segments: list, opt: defaults, base: b}
	var total, having [fieldCount]uint64
	sum := fnv.New64a()
	based := 0
	for _, sl := range list {
		s.nodes += len(sl.specs)
		s.counted += sl.counted
		for f, n := range sl.total {
			total[f] += n
			having[f] += sl.having[f]
		}
		sum.Write(sl.sum[:])
		if b != nil && b.segments[sl] {
			based++
		} else {
			s.fresh = append(s.fresh, sl)
		}
	}
	for f, n := range total {
		s.mean[f] = float64(n) / float64(max(1, s.counted))
		s.typical[f] = float64(n) / float64(max(1, having[f]))
	}
	s.sum = sum.Sum64()
	if b != nil && based < len(b.segments) {
		here := make(map[*segment]bool, len(list))
		for _, sl := range list {
			here[sl] = true
		}
		s.left = map[*segment]bool{}
		for sl := range b.segments {
			if !here[sl] {
				s.gone, s.left[sl] = append(s.gone, sl), true
			}
		}
	}
	s.counts = sync.OnceValue(s.countTerms)
	s.spellings = sync.OnceValue(s.readSpellings)
	return s
}

// Len is the number of specs.
func (s *Snapshot) Len() int { return s.nodes }
