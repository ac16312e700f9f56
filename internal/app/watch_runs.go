package app

import (
	"maps"
	"slices"
	"sync"

	"github.com/patchbay-mcp/patchbay/run"
)

// watchers are told of the events of runs of this process. A run is told of if somebody
// watches when it starts or continues: where nobody does, watching costs nothing.
type watchers struct {
	always func(run.Notice) // told of every run; nil tells nobody

	mu       sync.Mutex
	next     int
	some     map[int]func(run.Notice)
	list     []func(run.Notice) // of some; replaced, never changed
	watching map[string]bool    // runs that are told of
}

// WatchRuns has f called with the events of runs that start or continue from now on, by
// their branches at the same time, until stop is called. It must be quick.
func (pb *App) WatchRuns(f func(run.Notice)) (stop func()) {
	w := &pb.watchers
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

// TellsOf reports whether the events of a run are told in this process: it executes here,
// and somebody watched when it began to.
func (pb *App) TellsOf(id string) bool {
	pb.watchers.mu.Lock()
	defer pb.watchers.mu.Unlock()
	return pb.watchers.watching[id]
}

// of returns what tells of a run, nil if nobody watches.
func (w *watchers) of(id string) func(run.Notice) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.some) == 0 {
		return w.always
	}
	if w.watching == nil {
		w.watching = map[string]bool{}
	}
	w.watching[id] = true
	return w.tell
}

func (w *watchers) tell(n run.Notice) {
	if w.always != nil {
		w.always(n)
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
