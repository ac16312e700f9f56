package runs

import (
	"time"

	"github.com/patchbay-mcp/patchbay/run"
)

// scheduleTimeout resumes a run when the time for its first open question is up. It
// replaces what was scheduled for the run before: a run that does not wait for an
// answer has nothing scheduled, and nothing is after Close.
func (l *Local) scheduleTimeout(rec *run.Record) {
	due := nextTimeout(rec)
	id := rec.ID
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopTimeout(id)
	if due.IsZero() || l.closed {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(time.Until(due)+time.Millisecond, func() {
		l.mu.Lock()
		current := l.timeouts[id] == timer && !l.closed
		if current {
			delete(l.timeouts, id)
		}
		l.mu.Unlock()
		if current {
			l.goWork(func() { l.timeOut(id) })
		}
	})
	l.timeouts[id] = timer
}

// stopTimeout removes what is scheduled for a run. The caller holds mu.
func (l *Local) stopTimeout(id string) {
	if timer := l.timeouts[id]; timer != nil {
		timer.Stop()
		delete(l.timeouts, id)
	}
}

// timeOut resumes a run that still waits for an answer whose time is up.
func (l *Local) timeOut(id string) {
	store, fault := l.store()
	if fault != nil {
		return
	}
	rec, err := store.Load(run.Actor{Operator: true}, id)
	if err != nil || rec.Unverified != nil {
		return
	}
	switch due := nextTimeout(rec); {
	case due.IsZero():
	case due.After(time.Now()): // it was resumed elsewhere and asks again
		l.scheduleTimeout(rec)
	default:
		rec.Resumed = append(rec.Resumed, run.Resumption{At: time.Now(), After: run.NeedsAnswer, Decision: "timeout"})
		l.resumeInBackground(rec, "", nil)
	}
}

// nextTimeout returns when the first open question of a waiting run expires,
// zero if none has a time limit.
func nextTimeout(rec *run.Record) (first time.Time) {
	if rec.Status != run.Interrupted {
		return first
	}
	for _, in := range rec.Questions() {
		if !in.Until.IsZero() && (first.IsZero() || in.Until.Before(first)) {
			first = in.Until
		}
	}
	return first
}
