package runs

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

const (
	// maxCrashes is how often a process may end during a run that does nothing new
	// outside before the run is parked as the cause.
	maxCrashes = 2
	// aloneTime is how long a resumed run executes before the next one is resumed, unless
	// it does something new before.
	aloneTime = 10 * time.Second
)

// recoverOrphans resumes the runs whose process ended while it executed them. Each may
// have been the cause, so they are resumed one after the other, but for those that
// only waited for a time.
func (l *Local) recoverOrphans(orphans []*run.Record) {
	var possible []*run.Record // causes of the end
	for _, rec := range orphans {
		n, waits := crashCount(rec), l.onlyWaits(rec)
		if n >= maxCrashes && !waits {
			l.park(rec, crashes(rec, n))
			continue
		}
		rec.Resumed = append(rec.Resumed, run.Resumption{At: time.Now(), After: crash, Steps: externalSteps(rec)})
		if waits {
			l.goWork(func() { l.resumeInBackground(rec, "", nil) })
			continue
		}
		possible = append(possible, rec)
	}
	if len(possible) == 0 {
		return
	}
	l.goWork(func() {
		l.oneOrphan.Lock()
		defer l.oneOrphan.Unlock()
		for _, rec := range possible {
			l.resumeAlone(rec)
		}
	})
}

// resumeAlone resumes a run, and returns when the next one may be resumed: this one has
// stopped, has completed a call, a wait or a question, or has executed for some time.
func (l *Local) resumeAlone(rec *run.Record) {
	harmless := make(chan struct{})
	var once sync.Once
	seen := func() { once.Do(func() { close(harmless) }) }
	l.goWork(func() {
		defer seen()
		l.resumeInBackground(rec, "", func(e run.Event) {
			if e.Ended && !e.Pure && !e.Frame {
				seen()
			}
		})
	})
	late := time.NewTimer(aloneTime)
	defer late.Stop()
	select {
	case <-harmless:
	case <-late.C:
	case <-l.life.Done():
	}
}

// crash is what stopped a run whose process ended.
const crash = "crash"

// crashCount counts the processes that ended while they ran a run whose process is gone,
// since it did something new outside or somebody decided about it.
func crashCount(rec *run.Record) int {
	n, done := 1, externalSteps(rec)
	for i := len(rec.Resumed) - 1; i >= 0; i-- {
		x := &rec.Resumed[i]
		if x.Decision != "" || x.Steps != done {
			break
		}
		if x.After == crash {
			n++
		}
	}
	return n
}

// externalSteps counts the calls, waits and questions in the record of a run. What it
// computes from them is no progress: it is computed again.
func externalSteps(rec *run.Record) int {
	n := 0
	for i := range rec.Intents {
		if rec.Intents[i].Kind != run.IntentPause {
			n++
		}
	}
	for i := range rec.Steps {
		if s := rec.Steps[i]; s.Ended > 0 && !s.Pure && !s.Frame {
			n++
		}
	}
	return n
}

// onlyWaits reports whether a run did nothing but wait for a time: it cannot have
// ended its process. A wait in a branch proves nothing of the other branches.
func (l *Local) onlyWaits(rec *run.Record) bool {
	open := rec.Open()
	return len(open) == 1 && l.o.Kinds.Waits(open[0].Type) && !strings.ContainsAny(open[0].Key, "/[")
}

func crashes(rec *run.Record, n int) *diag.Fault {
	f := diag.Faultf(Crashes, "the process ended %d times during the run without a new call, wait or question", n)
	if open := rec.Open(); len(open) > 0 {
		f.Message += "; the run is at " + open[0].Key
	}
	f.Hint = fmt.Sprintf("it is not resumed automatically; resume_run {\"run_id\": %q, \"decision\": \"retry\"}, or with a corrected graph, continues it", rec.ID)
	return f
}
