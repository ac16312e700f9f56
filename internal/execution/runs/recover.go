package runs

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/run"
)

type backgroundKey struct{}

// Background is a context for work without a caller: see [InBackground].
func Background(ctx context.Context) context.Context {
	return context.WithValue(ctx, backgroundKey{}, true)
}

// InBackground reports whether the context is of a run that was started or resumed by
// itself: it has no caller, so it can wait long for what it needs.
func InBackground(ctx context.Context) bool { return ctx.Value(backgroundKey{}) != nil }

// Recover implements [Runner]: it resumes the runs of the project that were running
// when their process ended, those that were parked because it ended or because a
// server was missing, and those with a question whose time is up. It returns when it
// has found them. It may be called again, as when a server has become ready.
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
	l.recoverParked(store, !l.recovered.Swap(true))
	l.recoverOrphans(orphans)
}

// recoverParked resumes the runs that wait for a process or a server. The first time, it
// also resumes those whose budget was spent: a new process may have another one.
func (l *Local) recoverParked(store RunStore, first bool) {
	operator := run.Actor{Operator: true}
	parked, err := store.List(run.Filter{Actor: operator, Status: run.Interrupted, Project: l.o.Project})
	if err != nil {
		l.log.Error("the parked runs cannot be read", "error", err)
		return
	}
	for _, s := range parked {
		if s.Code != run.NeedsAnswer && s.Code != run.ShuttingDown && s.Code != NeedsServer && (s.Code != run.BudgetExceeded || !first) {
			continue
		}
		rec, err := store.Load(operator, s.ID)
		switch {
		case err != nil:
		case rec.Unverified != nil:
			l.log.Warn("a run is not resumed", "run", s.ID, "error", rec.Unverified.Message, "hint", rec.Unverified.Hint)
		case s.Code == run.NeedsAnswer:
			l.scheduleTimeout(rec)
		default:
			l.goWork(func() { l.resumeInBackground(rec, s.Code, nil) })
		}
	}
}

// resumeInBackground resumes a run without a caller that waits, after what had stopped it.
// It returns when the run has stopped. heard is called as its steps start and end; it
// may be nil.
func (l *Local) resumeInBackground(rec *run.Record, after string, heard func(run.Event)) {
	if !l.claim(rec.ID) {
		return
	}
	l.tryToResume(rec, after, heard)
	for !l.unclaim(rec) {
		l.tryToResume(rec, NeedsServer, heard)
	}
}

// tryToResume resumes a run, or files why it cannot be resumed.
func (l *Local) tryToResume(rec *run.Record, after string, heard func(run.Event)) {
	ctx := Background(l.life)
	plan, fault := l.compile(ctx, rec)
	switch {
	case ctx.Err() != nil: // it stays as it is for the next start
		return
	case fault != nil:
		l.park(rec, fault)
		return
	case after != "":
		rec.Resumed = append(rec.Resumed, run.Resumption{At: time.Now(), After: after, Steps: externalSteps(rec)})
	}
	_, fault = l.Resume(ctx, plan, rec, Client{OnEvent: heard})
	switch {
	case fault == nil || ctx.Err() != nil:
	case fault.Code == diag.CodeRunBusy || fault.Code == diag.CodeRunChanged: // somebody else has resumed it
	case fault.Code == diag.CodeInternalError: // it has been filed
	default:
		l.park(rec, fault)
	}
}

// claim makes a run one that is being resumed; it is false if it is one already.
func (l *Local) claim(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, taken := l.resuming[id]
	l.resuming[id] = taken // then it may be worth another attempt
	return !taken
}

// unclaim undoes claim. It is refused to a run that waits for a server if one became
// ready while it was resumed: then it is worth another attempt.
func (l *Local) unclaim(rec *run.Record) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	waits := rec.Status == run.Interrupted && rec.Fault != nil && rec.Fault.Code == NeedsServer
	if waits && l.resuming[rec.ID] && !l.closed {
		l.resuming[rec.ID] = false
		return false
	}
	delete(l.resuming, rec.ID)
	return true
}

// compile compiles what a run ran. A panic is a fault.
func (l *Local) compile(ctx context.Context, rec *run.Record) (plan *engine.Plan, fault *diag.Fault) {
	defer func() {
		if p := recover(); p != nil {
			l.log.Error("a graph cannot be compiled", "run", rec.ID, "principal", rec.Principal, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			plan, fault = nil, panicked(p)
		}
	}()
	return l.o.Compile(ctx, rec.Source)
}

// park files that a run waits, and for what. One that fails by a panic has failed.
func (l *Local) park(rec *run.Record, fault *diag.Fault) {
	store, broken := l.store()
	if broken != nil || rec.Status == run.Interrupted && rec.Fault != nil && rec.Fault.Code == fault.Code && rec.Fault.Message == fault.Message {
		return
	}
	rec.Status, rec.Fault, rec.Ended = run.Interrupted, fault, time.Now()
	if fault.Code == diag.CodeInternalError {
		rec.Status = run.Failed
	}
	if err := file(store, rec); err != nil {
		l.log.Warn("a run cannot be saved", "run", rec.ID, "principal", rec.Principal, "error", err)
	}
	l.log.Warn("a run cannot be resumed", "run", rec.ID, "graph", rec.Graph, "principal", rec.Principal, "code", fault.Code, "error", fault.Message)
}

// endPanicked files that a run has failed by a panic while it executed.
func (l *Local) endPanicked(id string, fault *diag.Fault) {
	store, broken := l.store()
	if broken != nil {
		return
	}
	rec, err := store.Load(run.Actor{Operator: true}, id)
	if err == nil && rec.Status == run.Running {
		rec.Status, rec.Fault, rec.Ended = run.Failed, fault, time.Now()
		err = store.End(rec, true)
	}
	if err != nil {
		l.log.Warn("a run cannot be saved", "run", id, "error", err)
	}
}
