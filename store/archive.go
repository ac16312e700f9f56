package store

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
)

// An Archive is where runs are found after they have stopped: [Memory], or a
// journal on disk. A run belongs to the principal that started it; to others it
// does not exist. The principal "" is the operator, who sees all.
type Archive interface {
	// Load returns a run, or [ErrNoRun].
	Load(principal, id string) (*engine.Record, error)
	// List returns what is known of runs, the latest first.
	List(f RunFilter) ([]RunSummary, error)
	// Prune forgets the runs that stopped before a time, and the oldest of the rest
	// until they take at most so many bytes; 0 is no bound. Runs that go on or wait
	// for somebody stay. It returns how many it forgot.
	Prune(before time.Time, maxBytes int64) (int, error)
}

// ErrNoRun is the error for a run that does not exist, or is another principal's.
var ErrNoRun = errors.New("there is no such run")

// A RunFilter chooses runs. Zero fields do not restrict.
type RunFilter struct {
	Principal string
	Graph     string
	Status    engine.Status
	Project   string    // that the runs ran with
	Since     time.Time // started then or later
	Limit     int
}

// A RunSummary is a line about a run.
type RunSummary struct {
	ID        string          `json:"run_id"`
	Graph     string          `json:"graph,omitempty"`
	Principal string          `json:"-"`
	Status    engine.Status   `json:"status"`
	Started   time.Time       `json:"started"`
	Ended     time.Time       `json:"ended,omitzero"`
	Steps     int             `json:"node_executions"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Code      string          `json:"code,omitempty"`    // of what stopped it
	Message   string          `json:"message,omitempty"` // of what stopped it
}

// Summarize returns the line about a run.
func Summarize(r *engine.Record) RunSummary {
	s := RunSummary{ID: r.ID, Graph: r.Graph, Principal: r.Principal, Status: r.Status, Started: r.Started, Ended: r.Ended, Steps: len(r.Steps), Arguments: r.Arguments}
	if r.Fault != nil {
		s.Code, s.Message = r.Fault.Code, r.Fault.Error()
	}
	return s
}

// Memory is an archive of the latest runs of this process.
type Memory struct{ ring *Runs[*engine.Record] }

// NewMemory returns an empty archive. o may be nil.
func NewMemory(o *RunsOptions) *Memory { return &Memory{NewRuns[*engine.Record](o)} }

// Keep files a run that has stopped. One that is too large for the bounds is
// kept without its inputs and outputs.
func (m *Memory) Keep(r *engine.Record) {
	size := len(r.Arguments) + len(r.Source.Text)
	for i := range r.Steps {
		size += 200 + weight(r.Steps[i].Input) + weight(r.Steps[i].Output)
	}
	if m.ring.Put(r.Principal, r.ID, r, size) {
		return
	}
	short := *r
	short.Steps = nil
	for _, s := range r.Steps {
		s.Input, s.Output = nil, nil
		short.Steps = append(short.Steps, s)
	}
	m.ring.Put(r.Principal, r.ID, &short, 200*len(short.Steps))
}

// Load returns a copy of a run's record.
func (m *Memory) Load(principal, id string) (*engine.Record, error) {
	r, ok := m.ring.Get(principal, id)
	if !ok {
		return nil, ErrNoRun
	}
	own := *r
	own.Steps, own.Intents, own.Resumed = slices.Clone(r.Steps), slices.Clone(r.Intents), slices.Clone(r.Resumed)
	return &own, nil
}

// List returns what is known of a principal's runs, the latest first.
func (m *Memory) List(f RunFilter) ([]RunSummary, error) {
	var out []RunSummary
	for _, r := range m.ring.List(f.Principal, 0) {
		if f.Limit > 0 && len(out) == f.Limit {
			break
		}
		if (f.Graph == "" || r.Graph == f.Graph) && (f.Project == "" || r.Project == f.Project) && (f.Status == "" || r.Status == f.Status) && !r.Started.Before(f.Since) {
			out = append(out, Summarize(r))
		}
	}
	return out, nil
}

// Prune does nothing: the oldest runs are forgotten as new ones come.
func (m *Memory) Prune(time.Time, int64) (int, error) { return 0, nil }

// weight estimates the memory of a value in bytes.
func weight(v expr.Value) int {
	switch t := v.(type) {
	case string:
		return 16 + len(t)
	case []any:
		n := 24
		for _, item := range t {
			n += weight(item)
		}
		return n
	case expr.Object:
		n := 48
		for _, key := range t.Keys() {
			member, _ := t.Get(key)
			n += 32 + len(key) + weight(member)
		}
		return n
	}
	return 16
}
