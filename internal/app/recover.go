package app

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
)

// codeCrashes is the code of a run that is suspected of ending the process. Only a
// decision resumes it.
const codeCrashes = "crashes"

// maxDeaths is how often a process may end in the same step of a run before the
// run is suspected.
const maxDeaths = 2

// Recover resumes the runs of this project that an earlier process left, each as
// its principal: those that were running when it ended, and those with a question
// whose time is up. It returns when it has found them; they run in the background.
func (pb *App) Recover() {
	if pb.project == "" || pb.runner.life.Err() != nil {
		return
	}
	journal, fault := pb.runner.journal()
	if fault != nil {
		pb.log.Error("runs are refused", "error", fault.Message, "hint", fault.Hint)
		return
	}
	if journal == nil {
		return
	}
	left, err := journal.Abandoned(pb.project)
	if err != nil {
		pb.log.Error("the runs of an earlier process cannot be read", "error", err)
	}
	for _, rec := range left {
		if deaths(rec) >= maxDeaths && !sleeps(rec) {
			pb.park(rec, crashes(rec))
			pb.log.Warn("a run is not resumed: the process ended repeatedly while it ran", "run", rec.ID, "graph", rec.Graph, "hint", "patchbay runs show "+rec.ID)
			continue
		}
		rec.Resumed = append(rec.Resumed, run.Resumption{At: time.Now(), After: "crash", Steps: ended(rec)})
		go pb.goOn(rec)
	}
	parked, err := journal.List(run.Filter{Status: run.Interrupted, Project: pb.project})
	if err != nil {
		return
	}
	for _, s := range parked {
		if s.Code != run.NeedsAnswer && s.Code != run.ShuttingDown {
			continue
		}
		rec, err := journal.Load("", s.ID)
		switch {
		case err != nil:
		case s.Code == run.ShuttingDown:
			rec.Resumed = append(rec.Resumed, run.Resumption{At: time.Now(), After: s.Code, Steps: ended(rec)})
			go pb.goOn(rec)
		default:
			pb.wake(rec)
		}
	}
}

// deaths counts the processes that ended while they ran a run whose process is
// gone, since a step of it ended or somebody decided about it.
func deaths(rec *run.Record) int {
	n, steps := 1, ended(rec)
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

// ended counts the steps of a run that have ended.
func ended(rec *run.Record) int {
	n := 0
	for i := range rec.Steps {
		if rec.Steps[i].Ended > 0 {
			n++
		}
	}
	return n
}

// sleeps reports whether a run did nothing but wait for a time: it cannot have
// ended its process. A wait in a branch proves nothing of the other branches.
func sleeps(rec *run.Record) bool {
	open := rec.Open()
	return len(open) == 1 && engine.Waits(open[0].Type) && !strings.ContainsAny(open[0].Key, "/[")
}

func crashes(rec *run.Record) *diag.Fault {
	f := diag.Faultf(codeCrashes, "the process ended %d times while the run executed, and no step was completed in between", deaths(rec))
	if open := rec.Open(); len(open) > 0 {
		f.Message += "; the run stands at " + open[0].Key
	}
	f.Hint = "it is not resumed automatically; patchbay runs resume " + rec.ID + " --retry, or with a corrected graph (--graph-file), continues it"
	return f
}

// goOn resumes a run for which nobody waits. A panic ends this run only.
func (pb *App) goOn(rec *run.Record) {
	defer func() {
		if p := recover(); p != nil {
			pb.log.Error("a run panicked", "run", rec.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	ctx := WithPrincipal(context.WithValue(pb.runner.life, patientKey{}, true), rec.Principal)
	plan, fault := pb.planAgain(ctx, rec)
	if fault == nil {
		_, fault = pb.resume(ctx, plan, rec, nil)
	}
	switch {
	case fault == nil || fault.Code == "run-busy" || fault.Code == "run-changed": // somebody else has resumed it
	case ctx.Err() != nil: // it stays as it is for the next start
	default:
		pb.log.Warn("a run cannot go on", "run", rec.ID, "error", fault.Message)
		pb.park(rec, fault)
	}
}

// planAgain is planOf, where a panic is a fault.
func (pb *App) planAgain(ctx context.Context, rec *run.Record) (plan *engine.Plan, fault *diag.Fault) {
	defer func() {
		if p := recover(); p != nil {
			pb.log.Error("a graph cannot be compiled", "run", rec.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			plan, fault = nil, diag.Faultf("internal-error", "a fault of Patchbay's own: %v", p)
		}
	}()
	return pb.planOf(ctx, rec)
}

// park files that a run waits, and for what.
func (pb *App) park(rec *run.Record, fault *diag.Fault) {
	journal, broken := pb.runner.journal()
	if broken != nil || journal == nil {
		return
	}
	rec.Status, rec.Fault, rec.Ended = run.Interrupted, fault, time.Now()
	if broken := pb.file(journal, rec); broken != nil {
		pb.log.Warn("a run cannot be filed", "run", rec.ID, "error", broken)
	}
}

// wake resumes a run when the time for its question is up.
func (pb *App) wake(rec *run.Record) {
	var first time.Time
	for i := range rec.Intents {
		in := &rec.Intents[i]
		if in.Kind == run.IntentAsk && in.Outcome == nil && !in.Until.IsZero() && (first.IsZero() || in.Until.Before(first)) {
			first = in.Until
		}
	}
	if rec.Status != run.Interrupted {
		first = time.Time{}
	}
	id, owner := rec.ID, rec.Principal
	pb.runner.schedule(id, first, func() {
		archive, fault := pb.runner.archive()
		if fault != nil {
			return
		}
		late, err := archive.Load(owner, id)
		if err != nil || late.Status != run.Interrupted || late.Asked("") == nil {
			return
		}
		late.Resumed = append(late.Resumed, run.Resumption{At: time.Now(), After: run.NeedsAnswer, Decision: "timeout"})
		pb.goOn(late)
	})
}

// schedule calls f at a time, in place of what was scheduled for the run before. At
// the zero time, and after Close, nothing is called.
func (r *runner) schedule(id string, at time.Time, f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.timers[id]; old != nil {
		old.Stop()
		delete(r.timers, id)
	}
	if at.IsZero() || r.closed {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(time.Until(at)+time.Millisecond, func() {
		r.mu.Lock()
		due := r.timers[id] == timer && !r.closed
		if due {
			delete(r.timers, id)
		}
		r.mu.Unlock()
		if due {
			f()
		}
	})
	r.timers[id] = timer
}

// planOf compiles what a run ran.
func (pb *App) planOf(ctx context.Context, rec *run.Record) (*engine.Plan, *diag.Fault) {
	return planFrom(rec.Source, pb.env(ctx, !rec.Source.Trusted))
}

// recordedPlan compiles what a run ran, to do it again with what it recorded: no
// server is asked, so none need be there.
func (pb *App) recordedPlan(ctx context.Context, src run.Source) (*engine.Plan, *diag.Fault) {
	env := pb.env(ctx, !src.Trusted)
	env.Tools = nil
	return planFrom(src, env)
}

func planFrom(src run.Source, env engine.Env) (*engine.Plan, *diag.Fault) {
	doc, found := graph.Parse(src.Name, src.Text)
	if doc != nil {
		plan, more := engine.Compile(doc, src.Tool, env)
		if found = append(found, more...); plan != nil && !found.HasErrors() {
			return plan, nil
		}
	}
	f := diag.Faultf("invalid-graph", "the run's graph is not valid any more")
	if first := found.With(diag.Error); len(first) > 0 {
		f = diag.Faultf("invalid-graph", "the run's graph is not valid any more: %s", first[0].Message)
		f.Hint = first[0].Hint
	}
	return nil, f
}

// record finds a run of the caller's.
func (pb *App) record(ctx context.Context, id string) (*run.Record, *diag.Fault) {
	if id == "" {
		return nil, diag.BadArgument("/run_id", "run_graph and run_node reply with it", "the call has no run_id")
	}
	archive, fault := pb.runner.archive()
	if fault != nil {
		return nil, fault
	}
	rec, err := archive.Load(principal(ctx), id)
	if err == nil {
		return rec, nil
	}
	if f, ok := errors.AsType[*diag.Fault](err); ok {
		return nil, f
	}
	f := diag.Faultf("unknown-run", "there is no run %q", id)
	f.Path, f.Hint = "/run_id", "patchbay runs list shows the runs that are kept"
	return nil, f
}
