package execution

import (
	"maps"
	"slices"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/run"
)

// maxPageSteps is how many steps one reply lists.
const maxPageSteps = 1000

// page sets the steps of a run from the one at index from: when each started and how long
// it took, without what it was given and gave. The index of a step that get_run takes is its
// position in the list of all.
func (r *GetRunResult) page(rec *run.Record, from int) *diag.Fault {
	if from < 0 {
		return diag.BadArgument("/from", "0 is the first", "from is %d, expected 0 or more", from)
	}
	r.StepCount = len(rec.Steps)
	for _, s := range rec.Steps[min(from, len(rec.Steps)):min(from+maxPageSteps, len(rec.Steps))] {
		t := reply.ShowStep(s)
		if !s.Started.IsZero() {
			t.StartMs = reply.Milliseconds(s.Started.Sub(rec.Started))
		}
		t.OutputSize = s.Size
		r.Steps = append(r.Steps, t)
	}
	return nil
}

// runChanges tells who listens that runs start, continue or stop.
type runChanges struct {
	mu        sync.Mutex
	listeners []func(id string)
}

// Listen has f called with the id of each run that starts, continues, waits or ends, by
// many runs at the same time. It must be quick.
func (c *runChanges) Listen(f func(id string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listeners = append(c.listeners, f)
}

func (c *runChanges) Changed(id string) {
	c.mu.Lock()
	listeners := c.listeners
	c.mu.Unlock()
	for _, f := range listeners {
		f(id)
	}
}

// watchers are told of the events of runs of this process. A run is told of if somebody
// watches when it starts or continues: without watchers it costs nothing.
type watchers struct {
	Always func(run.Notice) // told of every run; may be nil

	mu       sync.Mutex
	next     int
	some     map[int]func(run.Notice)
	list     []func(run.Notice) // of some; replaced, never changed
	watching map[string]bool    // runs that are told of
}

// Watch has f called with the events of runs that start or continue from now on, by
// their branches at the same time, until stop is called. It must be quick.
func (w *watchers) Watch(f func(run.Notice)) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.some == nil {
		w.some = map[int]func(run.Notice){}
	}
	id := w.next
	w.next++
	w.some[id] = f
	w.list = slices.Collect(maps.Values(w.some))
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.some, id)
		w.list = slices.Collect(maps.Values(w.some))
	}
}

// Has reports whether the events of a run are told in this process: it executes here,
// and somebody watched when it began to.
func (w *watchers) Has(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.watching[id]
}

// Of returns what tells of a run, nil without watchers.
func (w *watchers) Of(id string) func(run.Notice) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.some) == 0 {
		return w.Always
	}
	if w.watching == nil {
		w.watching = map[string]bool{}
	}
	w.watching[id] = true
	return w.tell
}

func (w *watchers) tell(n run.Notice) {
	if w.Always != nil {
		w.Always(n)
	}
	w.mu.Lock()
	list := w.list
	if n.Status != "" { // it has stopped
		delete(w.watching, n.Run)
	}
	w.mu.Unlock()
	for _, f := range list {
		f(n)
	}
}
