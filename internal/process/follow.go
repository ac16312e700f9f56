package process

import (
	"sync"
	"time"
)

// A Follower calls a function after changes, in the background and once for
// changes that come together.
type Follower struct {
	F func()

	running sync.Mutex // held while f runs

	mu      sync.Mutex // guards what follows
	dirty   bool       // something has changed since f began
	timed   bool       // a timer is going to call f
	holding int        // callers of hold that have not released yet
	closed  bool
}

// gatherTime is for how long changes are gathered.
const gatherTime = 50 * time.Millisecond

// Changed has f called after 50 ms, or by the caller of [Follower.Hold] if there is one.
func (w *Follower) Changed() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dirty = true
	if w.holding == 0 && !w.closed && !w.timed {
		w.timed = true
		time.AfterFunc(gatherTime, w.gathered)
	}
}

// gathered calls f after the time, unless it is held: release calls it then.
func (w *Follower) gathered() {
	w.mu.Lock()
	w.timed = false
	held := w.holding > 0
	w.mu.Unlock()
	if !held {
		w.Flush()
	}
}

// Hold keeps f from being called in the background, until release.
func (w *Follower) Hold() (release func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.holding++
	return func() {
		w.mu.Lock()
		w.holding--
		w.mu.Unlock()
		w.Flush()
	}
}

// Flush returns when f has followed every change before this call.
func (w *Follower) Flush() {
	w.running.Lock()
	defer w.running.Unlock()
	w.mu.Lock()
	due := w.dirty && !w.closed
	w.dirty, w.timed = false, false
	w.mu.Unlock()
	if due {
		w.F()
	}
}

// Close waits until f does not run; it is not called again.
func (w *Follower) Close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.Flush()
}
