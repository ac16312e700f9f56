package verbs

import (
	"context"
	"errors"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/store"
)

// Recover goes on with the runs that an earlier process left behind, each as its
// principal: those that were going on when it ended, and those with a question
// whose time is up. It returns when they have been found; they run beside.
func (pb *Patchbay) Recover(ctx context.Context) {
	ctx = context.WithoutCancel(ctx) // Close ends the runs so that they can go on again
	journal, fault := pb.runner.journal()
	if fault != nil {
		pb.log.Error("runs are refused", "error", fault.Message, "hint", fault.Hint)
		return
	}
	if journal == nil {
		return
	}
	left, err := journal.Abandoned()
	if err != nil {
		pb.log.Error("the runs of an earlier process cannot be read", "error", err)
	}
	for _, rec := range left {
		rec.Resumed = append(rec.Resumed, engine.Resumption{At: time.Now(), After: "crash"})
		go pb.goOn(ctx, rec)
	}
	asking, err := journal.List(store.RunFilter{Status: engine.Interrupted})
	if err != nil {
		return
	}
	for _, s := range asking {
		if s.Code != engine.NeedsAnswer && s.Code != engine.ShuttingDown {
			continue
		}
		rec, err := journal.Load("", s.ID)
		switch {
		case err != nil:
		case s.Code == engine.ShuttingDown:
			rec.Resumed = append(rec.Resumed, engine.Resumption{At: time.Now(), After: s.Code})
			go pb.goOn(ctx, rec)
		default:
			pb.wake(rec)
		}
	}
}

// goOn resumes a run for which nobody waits.
func (pb *Patchbay) goOn(ctx context.Context, rec *engine.Record) {
	ctx = WithPrincipal(ctx, rec.Principal)
	plan, fault := pb.planOf(ctx, rec)
	if fault == nil {
		_, fault = pb.resume(ctx, plan, rec, nil)
	}
	if fault != nil {
		pb.log.Warn("a run cannot go on", "run", rec.ID, "error", fault.Message)
		pb.park(rec, fault)
	}
}

// park files that a run waits, and for what.
func (pb *Patchbay) park(rec *engine.Record, fault *diag.Fault) {
	journal, broken := pb.runner.journal()
	if broken != nil || journal == nil || fault.Code == "run-busy" {
		return
	}
	rec.Status, rec.Fault, rec.Ended = engine.Interrupted, fault, time.Now()
	if broken := pb.file(journal, rec); broken != nil {
		pb.log.Warn("a run cannot be filed", "run", rec.ID, "error", broken)
	}
}

// wake goes on with a run when the time for its question is up.
func (pb *Patchbay) wake(rec *engine.Record) {
	if rec.Status != engine.Interrupted {
		return
	}
	var first time.Time
	for i := range rec.Intents {
		in := &rec.Intents[i]
		if in.Kind == engine.IntentAsk && in.Outcome == nil && !in.Until.IsZero() && (first.IsZero() || in.Until.Before(first)) {
			first = in.Until
		}
	}
	if first.IsZero() {
		return
	}
	id, owner := rec.ID, rec.Principal
	time.AfterFunc(time.Until(first)+time.Millisecond, func() {
		archive, fault := pb.runner.archive()
		if fault != nil {
			return
		}
		late, err := archive.Load(owner, id)
		if err != nil || late.Status != engine.Interrupted || late.Asked("") == nil {
			return
		}
		late.Resumed = append(late.Resumed, engine.Resumption{At: time.Now(), After: engine.NeedsAnswer, Decision: "timeout"})
		pb.goOn(context.Background(), late)
	})
}

// planOf compiles what a run ran.
func (pb *Patchbay) planOf(ctx context.Context, rec *engine.Record) (*engine.Plan, *diag.Fault) {
	return planFrom(rec.Source, pb.env(ctx, !rec.Source.Trusted))
}

// recordedPlan compiles what a run ran, to do it again with what it recorded: no
// server is asked, so none need be there.
func (pb *Patchbay) recordedPlan(ctx context.Context, src engine.Source) (*engine.Plan, *diag.Fault) {
	env := pb.env(ctx, !src.Trusted)
	env.Tools = nil
	return planFrom(src, env)
}

func planFrom(src engine.Source, env engine.Env) (*engine.Plan, *diag.Fault) {
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
func (pb *Patchbay) record(ctx context.Context, id string) (*engine.Record, *diag.Fault) {
	if id == "" {
		return nil, badArgument("/run_id", "run_graph and run_node reply with it", "the call has no run_id")
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
