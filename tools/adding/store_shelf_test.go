package adding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
)

// Shelf keeps runs in a map, until the process ends.
type Shelf struct {
	mu       sync.Mutex
	runs     map[string]*run.Record // replaced, or changed under mu; a caller gets a copy
	made     run.Steps
	onCancel func(id string)
	onReply  func(id, key string, answer json.RawMessage)
}

var _ runs.RunStore = (*Shelf)(nil)

// NewShelf returns an empty store.
func NewShelf() *Shelf { return &Shelf{runs: map[string]*run.Record{}} }

// copyOf returns a record that shares no list and no step with r.
func copyOf(r *run.Record) *run.Record {
	own := *r
	own.Steps, own.Intents, own.Resumed = run.CloneSteps(nil, r.Steps), slices.Clone(r.Intents), slices.Clone(r.Resumed)
	return &own
}

// Begin implements [run.Journal]. A run executes once at a time, and only from its
// latest record: a stale copy has another Begun.
func (s *Shelf) Begin(r *run.Record, _ bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.runs[r.ID]; old != nil {
		switch {
		case old.Status == run.Running:
			return diag.Faultf("run-busy", "run %s is executing", r.ID)
		case old.Begun != r.Begun:
			return diag.Faultf("run-changed", "run %s has changed since it was read", r.ID)
		}
	}
	r.Begun++
	s.runs[r.ID] = copyOf(r)
	return nil
}

// Step implements [run.Journal].
func (s *Shelf) Step(id string, step run.StepRecord) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.runs[id]
	if r == nil {
		return fmt.Errorf("step %s: run %s was not begun", step.Key, id)
	}
	r.Steps = s.made.Put(r.Steps, &step)
	return nil
}

// Intend implements [run.Journal].
func (s *Shelf) Intend(id string, in run.Intent, _ bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.runs[id]
	if r == nil {
		return fmt.Errorf("intent %s: run %s was not begun", in.Key, id)
	}
	if i := slices.IndexFunc(r.Intents, func(old run.Intent) bool { return old.Key == in.Key }); i >= 0 {
		r.Intents[i] = in
	} else {
		r.Intents = append(r.Intents, in)
	}
	return nil
}

// End implements [run.Journal].
func (s *Shelf) End(r *run.Record, _ bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.runs[r.ID]; old != nil && old.Begun != r.Begun {
		return diag.Faultf("run-changed", "run %s has changed since it was read", r.ID)
	}
	s.runs[r.ID] = copyOf(r)
	return nil
}

// Load implements [runs.RunStore].
func (s *Shelf) Load(actor run.Actor, id string) (*run.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.runs[id]; r != nil && actor.Sees(r.Principal) {
		return copyOf(r), nil
	}
	return nil, run.ErrNoRun
}

// Status implements [runs.RunStore].
func (s *Shelf) Status(actor run.Actor, id string) (run.Status, error) {
	r, err := s.Load(actor, id)
	if err != nil {
		return "", err
	}
	return r.Status, nil
}

// List implements [runs.RunStore].
func (s *Shelf) List(f run.Filter) ([]run.Summary, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []run.Summary
	for _, r := range s.runs {
		if f.Actor.Sees(r.Principal) && (f.Graph == "" || f.Graph == r.Graph) && (f.Status == "" || f.Status == r.Status) &&
			(f.Project == "" || f.Project == r.Project) && !r.Started.Before(f.Since) {
			list = append(list, run.Summarize(r))
		}
	}
	slices.SortFunc(list, func(a, b run.Summary) int { return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.ID, a.ID)) })
	if f.Limit > 0 && len(list) > f.Limit {
		list = list[:f.Limit]
	}
	return list, nil
}

// Uses implements [runs.RunStore].
func (s *Shelf) Uses(f run.Filter) ([]run.Use, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return run.UsesOf(f, maps.Values(s.runs)), nil
}

// Prune implements [runs.RunStore]. Every run counts as a kilobyte.
func (s *Shelf) Prune(project string, before time.Time, maxBytes int64) (deleted int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var stopped []*run.Record
	for _, r := range s.runs {
		if r.Status != run.Running && r.Status != run.Interrupted {
			stopped = append(stopped, r)
		}
	}
	slices.SortFunc(stopped, func(a, b *run.Record) int { return a.Ended.Compare(b.Ended) })
	for _, r := range stopped {
		if r.Ended.Before(before) && (project == "" || project == r.Project) || maxBytes > 0 && int64(len(s.runs))<<10 > maxBytes {
			delete(s.runs, r.ID)
			deleted++
		}
	}
	return deleted, nil
}

// Adopt implements [runs.RunStore].
func (s *Shelf) Adopt(from []string, to string) (adopted int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runs {
		if slices.Contains(from, r.Project) {
			r.Project = to
			adopted++
		}
	}
	return adopted, nil
}

// ClaimOrphans implements [runs.RunStore]: the runs end with their process.
func (s *Shelf) ClaimOrphans(string) ([]*run.Record, error) { return nil, nil }

// Cancel implements [runs.RunStore].
func (s *Shelf) Cancel(actor run.Actor, id string) error {
	status, err := s.Status(actor, id)
	if err != nil {
		return err
	}
	if status != run.Running {
		return diag.Faultf("not-running", "run %s does not execute: it is %s", id, status)
	}
	s.mu.Lock()
	f := s.onCancel
	s.mu.Unlock()
	if f != nil {
		f(id)
	}
	return nil
}

// OnCancel implements [runs.RunStore].
func (s *Shelf) OnCancel(f func(id string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onCancel = f
}

// Reply implements [runs.RunStore].
func (s *Shelf) Reply(actor run.Actor, id, key string, answer json.RawMessage) error {
	s.mu.Lock()
	r, f := s.runs[id], s.onReply
	seen := r != nil && actor.Sees(r.Principal)
	asked := seen && r.Status == run.Running && r.Answer(key, answer)
	s.mu.Unlock()
	switch {
	case !seen:
		return run.ErrNoRun
	case !asked:
		return diag.Faultf("not-asked", "run %s does not ask this", id)
	case f != nil:
		f(id, key, answer)
	}
	return nil
}

// OnReply implements [runs.RunStore].
func (s *Shelf) OnReply(f func(id, key string, answer json.RawMessage)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onReply = f
}

// Close implements [runs.RunStore].
func (s *Shelf) Close() error { return nil }
