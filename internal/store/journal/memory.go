package journal

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/patchbay-mcp/patchbay/internal/store/graphstate"
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
	active   map[string]*reported // the runs that execute
	kept     map[string]*entry
	order    []*entry // by the time they stopped; one that was dropped leaves nil
	head     int      // first index of order that may hold an entry
	bytes    int
	state    map[stateKey]*graphstate.Stored // what graphs have stored
	marks    map[scheduleKey]*run.ScheduleMark
	spent    map[spentOn]int // what models have cost
	onCancel func(id string)
	onReply  func(id, key string, answer json.RawMessage)
}

// NewMemory returns an empty store. o may be nil.
func NewMemory(o *MemoryOptions) *Memory {
	m := &Memory{active: map[string]*reported{}, kept: map[string]*entry{}, state: map[stateKey]*graphstate.Stored{}, spent: map[spentOn]int{}}
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

// Begin keeps a run that starts, or one that is resumed. It refuses a run that
// executes and a record that is not the latest of its run.
func (m *Memory) Begin(r *run.Record, _ bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.claimable(r); err != nil {
		return err
	}
	r.Begun++
	own := records.Get().(*reported) //nolint:forcetypeassert // of New
	copyRecord(&own.Record, r)
	m.active[r.ID] = own
	return nil
}

// reported is a run as far as it has reported.
type reported struct {
	run.Record
	made run.Steps // makes those of the record
}

// withoutValues returns the record r without the inputs and outputs of its steps. It takes
// the place of what has been reported.
func (a *reported) withoutValues(r *run.Record) *run.Record {
	for _, step := range r.Steps {
		short := *step
		short.Input, short.Output = nil, nil
		a.Steps = a.made.Put(a.Steps, &short)
	}
	own := *r
	own.Steps = a.Steps
	return &own
}

// records are those of runs that have stopped, to use again with their slices.
var records = sync.Pool{New: func() any { return &reported{} }}

// maxReused is how many steps the slice of a record may hold that is used again.
const maxReused = 1000

// release gives back the record of an active run.
func release(r *reported) {
	if cap(r.Steps) > maxReused {
		return
	}
	steps, intents, resumed := r.Steps, r.Intents, r.Resumed
	clear(steps)
	clear(intents)
	clear(resumed)
	r.Record = run.Record{Steps: steps[:0], Intents: intents[:0], Resumed: resumed[:0]}
	records.Put(r)
}

// copyRecord makes one record a copy of another that shares no slice and no step with it.
func copyRecord(to, from *run.Record) {
	steps, intents, resumed := to.Steps[:0], to.Intents[:0], to.Resumed[:0]
	steps, intents, resumed = run.CloneSteps(steps, from.Steps), append(intents, from.Intents...), append(resumed, from.Resumed...)
	*to = *from
	to.Steps, to.Intents, to.Resumed = steps, intents, resumed
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
func (m *Memory) Step(id string, s run.StepRecord) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.active[id]
	if r == nil {
		return errNotBegun
	}
	r.Steps = r.made.Put(r.Steps, &s)
	return nil
}

// Intend stores an intent or its outcome.
func (m *Memory) Intend(id string, in run.Intent, _ bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.active[id]
	if r == nil {
		return errNotBegun
	}
	for i := range slices.Backward(r.Intents) {
		if r.Intents[i].Key == in.Key {
			m.spend(&r.Record, &r.Intents[i], &in)
			r.Intents[i] = in
			return nil
		}
	}
	m.spend(&r.Record, &run.Intent{}, &in)
	r.Intents = append(r.Intents, in)
	return nil
}

// errNotBegun is an error of the program: nothing is reported for a run before it starts.
var errNotBegun = errors.New("the run was not started")

// End stores the state of a run that has stopped. A run that is too large for
// the bounds is kept without the inputs and outputs of its steps.
func (m *Memory) End(r *run.Record, _ bool) error {
	size := recordSize(r)
	m.mu.Lock()
	defer m.mu.Unlock()
	active := m.active[r.ID]
	if active == nil {
		if err := m.claimable(r); err != nil {
			return err
		}
		active = &reported{}
	}
	delete(m.active, r.ID)
	if size > m.max.MaxBytes {
		if size = stepSize * len(r.Steps); size <= m.max.MaxBytes {
			r = active.withoutValues(r)
		}
	} else {
		release(active)
	}
	m.put(r, size)
	return nil
}

// find returns the record of a run, or nil. The caller holds mu.
func (m *Memory) find(actor run.Actor, id string) *run.Record {
	var r *run.Record
	if active, e := m.active[id], m.kept[id]; active != nil {
		r = &active.Record
	} else if e != nil {
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
	own := &run.Record{}
	copyRecord(own, r)
	return own, nil
}

// Status returns the status of a run.
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
		if f.Actor.Sees(r.Principal) && (f.Graph == "" || r.Graph == f.Graph) && (f.Project == "" || r.Project == f.Project) && (f.Status == "" || r.Status == f.Status) && !r.Started.Before(f.Since) && (!f.Ordinary || !r.Options.Around) {
			out = append(out, run.Summarize(r))
		}
	}
	for _, r := range m.active {
		add(&r.Record)
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

// ClaimOrphans returns nothing: the runs end with their process.
func (m *Memory) ClaimOrphans(string) ([]*run.Record, error) { return nil, nil }

// Close does nothing.
func (m *Memory) Close() error { return nil }
