package journal

import (
	"sync"
)

// Bounds of a [Runs] that is given none.
const (
	DefaultMaxRuns     = 200
	DefaultMaxRunBytes = 64 << 20
)

// RunsOptions bounds a [Runs]. Zero fields mean the defaults.
type RunsOptions struct {
	MaxRuns  int // records kept, of all owners together
	MaxBytes int // sum of their sizes
}

// Runs keeps the records of recent runs in memory and forgets the oldest when
// its bounds are reached. Each record belongs to the principal that started the
// run; to others it does not exist. It is safe for concurrent use.
type Runs[T any] struct {
	mu    sync.Mutex
	max   RunsOptions
	bytes int
	byKey map[runKey]*entry[T]
	order []*entry[T] // oldest first; a replaced or evicted record leaves nil
	head  int         // first index of order that may hold a record
}

type runKey struct{ owner, id string }

type entry[T any] struct {
	key    runKey
	record T
	size   int
	at     int // its index in order
}

// NewRuns returns an empty Runs. o may be nil.
func NewRuns[T any](o *RunsOptions) *Runs[T] {
	r := &Runs[T]{byKey: map[runKey]*entry[T]{}}
	if o != nil {
		r.max = *o
	}
	if r.max.MaxRuns <= 0 {
		r.max.MaxRuns = DefaultMaxRuns
	}
	if r.max.MaxBytes <= 0 {
		r.max.MaxBytes = DefaultMaxRunBytes
	}
	return r
}

// Put keeps record as the newest of owner's, in place of an earlier one of the
// same id, and forgets the oldest records that no longer fit. size is what the
// record holds in memory, in bytes, near enough. It returns false, and keeps
// nothing new, when the record alone exceeds the bound: keep a shorter one.
func (r *Runs[T]) Put(owner, id string, record T, size int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if size > r.max.MaxBytes {
		return false
	}
	key := runKey{owner, id}
	if old := r.byKey[key]; old != nil {
		r.drop(old)
	}
	r.compact()
	kept := &entry[T]{key: key, record: record, size: max(0, size), at: len(r.order)}
	r.order = append(r.order, kept)
	r.byKey[key] = kept
	r.bytes += kept.size
	for len(r.byKey) > r.max.MaxRuns || r.bytes > r.max.MaxBytes {
		for r.order[r.head] == nil {
			r.head++
		}
		r.drop(r.order[r.head])
	}
	return true
}

// Get returns owner's record of that id, and whether there is one.
func (r *Runs[T]) Get(owner, id string) (T, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if kept := r.byKey[runKey{owner, id}]; kept != nil {
		return kept.record, true
	}
	var none T
	return none, false
}

// List returns owner's records, newest first, at most limit of them; 0 is all.
func (r *Runs[T]) List(owner string, limit int) []T {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []T
	for i := len(r.order) - 1; i >= r.head; i-- {
		if limit > 0 && len(out) == limit {
			break
		}
		if kept := r.order[i]; kept != nil && kept.key.owner == owner {
			out = append(out, kept.record)
		}
	}
	return out
}

func (r *Runs[T]) drop(old *entry[T]) {
	delete(r.byKey, old.key)
	r.order[old.at] = nil
	r.bytes -= old.size
}

// compact closes the gaps once they outnumber the records, so that putting is
// O(1) on average and order stays within twice the records.
func (r *Runs[T]) compact() {
	if len(r.order) < 2*len(r.byKey)+16 {
		return
	}
	live := r.order[:0]
	for _, kept := range r.order {
		if kept != nil {
			kept.at = len(live)
			live = append(live, kept)
		}
	}
	clear(r.order[len(live):])
	r.order, r.head = live, 0
}
