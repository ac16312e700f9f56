package journal

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// Bounds of a [Memory] that is given none.
const (
	DefaultMaxRuns     = 200
	DefaultMaxRunBytes = 64 << 20
)

// MemoryOptions bound a [Memory]. Zero fields mean the defaults.
type MemoryOptions struct {
	MaxRuns  int // that have stopped
	MaxBytes int // sum of their sizes, near enough
}

// Memory keeps runs for as long as the process lasts: it is the store of those who
// want none on disk. When its bounds are reached it deletes the runs that stopped
// first. It is safe for concurrent use.
type Memory struct {
	mu       sync.Mutex
	max      MemoryOptions
	active   map[string]*run.Record // as far as the runs that execute have told
	kept     map[string]*entry
	order    []*entry // by the time they stopped; one that was dropped leaves nil
	head     int      // first index of order that may hold an entry
	bytes    int
	onCancel func(id string)
}

// entry is a run that has stopped. Its record is not changed any more.
type entry struct {
	record *run.Record
	size   int
	at     int // its index in order
}

// NewMemory returns an empty store. o may be nil.
func NewMemory(o *MemoryOptions) *Memory {
	m := &Memory{active: map[string]*run.Record{}, kept: map[string]*entry{}}
	if o != nil {
		m.max = *o
	}
	if m.max.MaxRuns <= 0 {
		m.max.MaxRuns = DefaultMaxRuns
	}
	if m.max.MaxBytes <= 0 {
		m.max.MaxBytes = DefaultMaxRunBytes
	}
	return m
}

// Begin keeps a run that starts, or one that is resumed. As a [Journal] does, it
// refuses a run that executes and a record that is not the latest of its run.
func (m *Memory) Begin(r *run.Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.claimable(r); err != nil {
		return err
	}
	r.Begun++
	m.active[r.ID] = snapshot(r)
	return nil
}

// claimable refuses a record unless its run may begin, or be filed, with it. The
// caller holds mu.
func (m *Memory) claimable(r *run.Record) error {
	if m.active[r.ID] != nil {
		return busy(r.ID)
	}
	if old := m.kept[r.ID]; old != nil && old.record.Begun != r.Begun {
		return changed(r.ID)
	}
	return nil
}

// Step keeps the start or the end of an execution.
func (m *Memory) Step(id string, s run.StepRecord, _ bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.active[id]
	if r == nil {
		return errNotBegun
	}
	for len(r.Steps) <= s.Index {
		r.Steps = append(r.Steps, run.StepRecord{Index: len(r.Steps)})
	}
	r.Steps[s.Index] = s
	return nil
}

// Intend keeps an intent or what came of it.
func (m *Memory) Intend(id string, in run.Intent, _ bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.active[id]
	if r == nil {
		return errNotBegun
	}
	for i := range slices.Backward(r.Intents) {
		if r.Intents[i].Key == in.Key {
			r.Intents[i] = in
			return nil
		}
	}
	r.Intents = append(r.Intents, in)
	return nil
}

// errNotBegun is an error of the program: nothing is told of a run before it begins.
var errNotBegun = errors.New("the run was not begun")

// End keeps how a run stands now that it has stopped. A run that is too large for
// the bounds is kept without the inputs and outputs of its steps.
func (m *Memory) End(r *run.Record) error {
	size := sizeOf(r)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.active[r.ID] == nil {
		if err := m.claimable(r); err != nil {
			return err
		}
	}
	delete(m.active, r.ID)
	if size > m.max.MaxBytes {
		short := *r
		short.Steps = slices.Clone(r.Steps)
		for i := range short.Steps {
			short.Steps[i].Input, short.Steps[i].Output = nil, nil
		}
		r, size = &short, stepSize*len(short.Steps)
	}
	m.put(r, size)
	return nil
}

// put files a run as the latest, in place of its earlier record, and drops the
// oldest runs that no longer fit. The caller holds mu.
func (m *Memory) put(r *run.Record, size int) {
	if old := m.kept[r.ID]; old != nil {
		m.drop(old)
	}
	if size > m.max.MaxBytes {
		return
	}
	m.compact()
	e := &entry{record: r, size: size, at: len(m.order)}
	m.order = append(m.order, e)
	m.kept[r.ID] = e
	m.bytes += size
	for len(m.kept) > m.max.MaxRuns || m.bytes > m.max.MaxBytes {
		m.drop(m.oldest())
	}
}

// oldest returns the run that stopped first, nil if there is none.
func (m *Memory) oldest() *entry {
	for m.head < len(m.order) && m.order[m.head] == nil {
		m.head++
	}
	if m.head == len(m.order) {
		return nil
	}
	return m.order[m.head]
}

func (m *Memory) drop(e *entry) {
	delete(m.kept, e.record.ID)
	m.order[e.at] = nil
	m.bytes -= e.size
}

// compact closes the gaps once they outnumber the runs, so that filing a run is
// O(1) on average and order stays within twice the runs.
func (m *Memory) compact() {
	if len(m.order) < 2*len(m.kept)+16 {
		return
	}
	live := m.order[:0]
	for _, e := range m.order {
		if e != nil {
			e.at = len(live)
			live = append(live, e)
		}
	}
	clear(m.order[len(live):])
	m.order, m.head = live, 0
}

// find returns the record of a run, or nil. The caller holds mu.
func (m *Memory) find(actor run.Actor, id string) *run.Record {
	r := m.active[id]
	if e := m.kept[id]; r == nil && e != nil {
		r = e.record
	}
	if r == nil || !actor.Sees(r.Principal) {
		return nil
	}
	return r
}

// Load returns a copy of a run's record.
func (m *Memory) Load(actor run.Actor, id string) (*run.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.find(actor, id)
	if r == nil {
		return nil, run.ErrNoRun
	}
	return snapshot(r), nil
}

// snapshot is a copy of a record that can be changed without changing the other.
func snapshot(r *run.Record) *run.Record {
	own := *r
	own.Steps, own.Intents, own.Resumed = slices.Clone(r.Steps), slices.Clone(r.Intents), slices.Clone(r.Resumed)
	return &own
}

// Status returns how a run stands.
func (m *Memory) Status(actor run.Actor, id string) (run.Status, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.find(actor, id); r != nil {
		return r.Status, nil
	}
	return "", run.ErrNoRun
}

// List returns a line about each of the chosen runs, the latest first.
func (m *Memory) List(f run.Filter) ([]run.Summary, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []run.Summary
	add := func(r *run.Record) {
		if f.Actor.Sees(r.Principal) && (f.Graph == "" || r.Graph == f.Graph) && (f.Project == "" || r.Project == f.Project) && (f.Status == "" || r.Status == f.Status) && !r.Started.Before(f.Since) {
			out = append(out, run.Summarize(r))
		}
	}
	for _, r := range m.active {
		add(r)
	}
	for id, e := range m.kept {
		if m.active[id] == nil {
			add(e.record)
		}
	}
	slices.SortFunc(out, func(a, b run.Summary) int { return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.ID, a.ID)) })
	if f.Limit > 0 && len(out) > f.Limit {
		out = out[:f.Limit]
	}
	return out, nil
}

// Prune deletes the runs that stopped before a time, and then the oldest until the
// rest take at most so many bytes.
func (m *Memory) Prune(before time.Time, maxBytes int64) (deleted int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.order {
		if e == nil || e.record.Status == run.Interrupted || m.active[e.record.ID] != nil {
			continue
		}
		if !before.IsZero() && e.record.Ended.Before(before) || maxBytes > 0 && int64(m.bytes) > maxBytes {
			m.drop(e)
			deleted++
		}
	}
	return deleted, nil
}

// ClaimOrphans returns nothing: the runs end with their process.
func (m *Memory) ClaimOrphans(string) ([]*run.Record, error) { return nil, nil }

// Cancel calls what OnCancel has set for a run that executes.
func (m *Memory) Cancel(actor run.Actor, id string) error {
	m.mu.Lock()
	r, f := m.find(actor, id), m.onCancel
	m.mu.Unlock()
	switch {
	case r == nil:
		return run.ErrNoRun
	case r.Status != run.Running:
		return notRunning(id, string(r.Status))
	case f != nil:
		f(id)
	}
	return nil
}

// OnCancel sets what Cancel calls.
func (m *Memory) OnCancel(f func(id string)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.onCancel = f
}

// Close does nothing.
func (m *Memory) Close() error { return nil }

// stepSize is the memory of a step without its values, in bytes, near enough.
const stepSize = 200

// sizeOf estimates the memory of a record in bytes.
func sizeOf(r *run.Record) int {
	size := len(r.Arguments) + len(r.Source.Text)
	for i := range r.Steps {
		size += stepSize + valueSize(r.Steps[i].Input) + valueSize(r.Steps[i].Output)
	}
	return size
}

func valueSize(v expr.Value) int {
	switch t := v.(type) {
	case string:
		return 16 + len(t)
	case []any:
		n := 24
		for _, item := range t {
			n += valueSize(item)
		}
		return n
	case expr.Object:
		n := 48
		for _, key := range t.Keys() {
			member, _ := t.Get(key)
			n += 32 + len(key) + valueSize(member)
		}
		return n
	}
	return 16
}
