package runs

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/run"
)

// maxDeaths is how often a process may end in the same step of a run before the
// run is suspected.
const maxDeaths = 2

type backgroundKey struct{}

// InBackground reports whether the context is of a run that was resumed by itself:
// nobody waits for it, so it can wait long for what it needs.
func InBackground(ctx context.Context) bool { return ctx.Value(backgroundKey{}) != nil }

// Recover implements [Runner]: it resumes the runs of the project that were running
// when their process ended, those that were parked because it ended, and those with
// a question whose time is up. It returns when it has found them.
func (l *Local) Recover() {
	if l.o.Project == "" || l.life.Err() != nil {
		return
	}
	store, fault := l.store()
	if fault != nil {
		l.log.Error("runs are refused", "error", fault.Message, "hint", fault.Hint)
		return
	}
	orphans, err := store.ClaimOrphans(l.o.Project)
	if err != nil {
		l.log.Error("the runs of an earlier process cannot be read", "error", err)
	}
	for _, rec := range orphans {
		if deaths(rec) >= maxDeaths && !l.onlyWaits(rec) {
			l.park(rec, crashes(rec))
			l.log.Warn("a run is not resumed: the process ended repeatedly while it ran", "run", rec.ID, "graph", rec.Graph, "hint", "patchbay runs show "+rec.ID)
			continue
		}
		rec.Resumed = append(rec.Resumed, run.Resumption{At: time.Now(), After: "crash", Steps: endedSteps(rec)})
		l.goWork(func() { l.resumeInBackground(rec) })
	}
	operator := run.Actor{Operator: true}
	parked, err := store.List(run.Filter{Actor: operator, Status: run.Interrupted, Project: l.o.Project})
	if err != nil {
		l.log.Error("the parked runs cannot be read", "error", err)
		return
	}
	for _, s := range parked {
		if s.Code != run.NeedsAnswer && s.Code != run.ShuttingDown {
			continue
		}
		rec, err := store.Load(operator, s.ID)
		switch {
		case err != nil:
		case s.Code == run.ShuttingDown:
			rec.Resumed = append(rec.Resumed, run.Resumption{At: time.Now(), After: s.Code, Steps: endedSteps(rec)})
			l.goWork(func() { l.resumeInBackground(rec) })
		default:
			l.scheduleTimeout(rec)
		}
	}
}

// deaths counts the processes that ended while they ran a run whose process is
// gone, since a step of it ended or somebody decided about it.
func deaths(rec *run.Record) int {
	n, steps := 1, endedSteps(rec)
	for i := len(rec.Resumed) - 1; i >= 0; i-- {
		x := &rec.Resumed[i]
		if x.Decision != "" || x.Steps != steps {
			break
		}
		if x.After == "crash" {
			n++
		}
	}
	return n
}

// endedSteps counts the steps of a run that have ended.
func endedSteps(rec *run.Record) int {
	n := 0
	for i := range rec.Steps {
		if rec.Steps[i].Ended > 0 {
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

func crashes(rec *run.Record) *diag.Fault {
	f := diag.Faultf(Crashes, "the process ended %d times during the run without completing another step", deaths(rec))
	if open := rec.Open(); len(open) > 0 {
		f.Message += "; the run is at " + open[0].Key
	}
	f.Hint = "it is not resumed automatically; patchbay runs resume " + rec.ID + " --retry, or with a corrected graph (--graph-file), continues it"
	return f
}

// resumeInBackground resumes a run for which nobody waits. A panic ends this run
// only.
func (l *Local) resumeInBackground(rec *run.Record) {
	defer func() {
		if p := recover(); p != nil {
			l.log.Error("a run panicked", "run", rec.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	ctx := context.WithValue(l.life, backgroundKey{}, true)
	plan, fault := l.compile(ctx, rec)
	if fault == nil {
		_, fault = l.Resume(ctx, plan, rec, Client{})
	}
	switch {
	case fault == nil || fault.Code == "run-busy" || fault.Code == "run-changed": // somebody else has resumed it
	case ctx.Err() != nil: // it stays as it is for the next start
	default:
		l.log.Warn("a run cannot be resumed", "run", rec.ID, "error", fault.Message)
		l.park(rec, fault)
	}
}

// compile compiles what a run ran. A panic is a fault.
func (l *Local) compile(ctx context.Context, rec *run.Record) (plan *engine.Plan, fault *diag.Fault) {
	defer func() {
		if p := recover(); p != nil {
			l.log.Error("a graph cannot be compiled", "run", rec.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			plan, fault = nil, diag.Faultf("internal-error", "internal error in Patchbay: %v", p)
		}
	}()
	return l.o.Compile(ctx, rec.Source)
}

// park files that a run waits, and for what.
func (l *Local) park(rec *run.Record, fault *diag.Fault) {
	store, broken := l.store()
	if broken != nil {
		return
	}
	rec.Status, rec.Fault, rec.Ended = run.Interrupted, fault, time.Now()
	if err := file(store, rec); err != nil {
		l.log.Warn("a run cannot be saved", "run", rec.ID, "error", err)
	}
}
