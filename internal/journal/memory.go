package journal

import (
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// Memory is an archive of the latest runs of this process.
type Memory struct{ ring *Runs[*run.Record] }

// NewMemory returns an empty archive. o may be nil.
func NewMemory(o *RunsOptions) *Memory { return &Memory{NewRuns[*run.Record](o)} }

// Keep files a run that has stopped. One that is too large for the bounds is
// kept without its inputs and outputs.
func (m *Memory) Keep(r *run.Record) {
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
func (m *Memory) Load(principal, id string) (*run.Record, error) {
	r, ok := m.ring.Get(principal, id)
	if !ok {
		return nil, run.ErrNoRun
	}
	own := *r
	own.Steps, own.Intents, own.Resumed = slices.Clone(r.Steps), slices.Clone(r.Intents), slices.Clone(r.Resumed)
	return &own, nil
}

// List returns what is known of a principal's runs, the latest first.
func (m *Memory) List(f run.Filter) ([]run.Summary, error) {
	var out []run.Summary
	for _, r := range m.ring.List(f.Principal, 0) {
		if f.Limit > 0 && len(out) == f.Limit {
			break
		}
		if (f.Graph == "" || r.Graph == f.Graph) && (f.Project == "" || r.Project == f.Project) && (f.Status == "" || r.Status == f.Status) && !r.Started.Before(f.Since) {
			out = append(out, run.Summarize(r))
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
