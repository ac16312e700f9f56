// Package local runs plans in this process: it is the [engine.Runtime] of a
// server and of the command line. It knows the clock and the downstream caller,
// keeps the record of each run, and writes it to a journal if there is one.
//
// [Run] starts a run, [Resume] continues one that stopped, after the record's
// Decide where it failed, [Replay] does one again with what it recorded, and
// [Compare] says where that departs. Options.Debugger pauses a run before its nodes, and
// an [Observer] looks into it: see the examples.
package local

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/run"
)

// Options of one run.
type Options struct {
	run.Options
	Principal string
	Project   string      // as in engine.Record
	Mode      string      // as in engine.Record
	Journal   run.Journal // nil keeps the run in memory alone
	// State keeps what graphs store for later runs; nil: state nodes fail.
	State run.StateStore
	// ChangeState is called instead of that of State, with the context of the step. It may
	// be nil.
	ChangeState func(ctx context.Context, in run.Intent, c run.StateChange, dry bool) (json.RawMessage, error)
	// World is where the run executes. Nil is this process.
	World World
	// Replays says that the world replays the run: expressions end by what is counted
	// alone, not by the clock.
	Replays bool
	// Meter bounds what the expressions of the run compute. Nil does not.
	Meter *expr.Meter
	// NewRun says that the ID is from [NewID]: no journal can have a run of that ID.
	NewRun bool
	// Mask replaces secrets in JSON by what stays the same when a secret changes; it is
	// applied to what identifies a call. Nil leaves JSON as it is.
	Mask func([]byte) []byte
	// Observer watches the run.
	Observer Observer
	// Debugger may pause the run before nodes. A nil Debugger pauses nowhere.
	Debugger *run.Debugger
	// Holder waits for the answers to questions that are put during calls. Nil: nobody is
	// asked during calls.
	Holder  Holder
	MaxHeld time.Duration // how long a call waits for an answer
	// MaxReply returns how many tokens a reply of a model may have, and TokensOn what all
	// requests of a graph have cost on a day of UTC. Nil does not bound what models cost.
	MaxReply func(model string) int
	TokensOn func(graph string, day time.Time) (int, error)
	// Place is what the run gives back while it waits for a time or a person. Nil: it needs none.
	Place Place
	// Keeper bounds the memory for what the run keeps. Nil does not.
	Keeper Keeper
	// Beside bounds the detached branches: each takes a place, and is left out if
	// there is none. Nil does not bound them.
	Beside chan struct{}
}

// An Observer looks into a run as it goes. Its functions are called on the goroutine of the
// branch that runs the step, and hold that branch up until they return; the branches of a
// run call them at the same time. Each may be nil.
type Observer struct {
	// Before is called when a step is about to run, with what its expressions will
	// see in the event's Scope. An error ends the run with it.
	Before func(context.Context, run.Event) error
	// After is called when a step has ended.
	After func(context.Context, run.Event)
	// Event is called when a step starts, and when one has ended.
	Event func(run.Event)
	// Pause is called when the debugger pauses the run, and when the run continues.
	Pause func(run.Notice)
	// Tokens is called with what a request to a model has cost.
	Tokens func(model string, t run.Tokens)
	// DetachedFault is called with the key of a detached branch that has failed.
	DetachedFault func(key string, f *diag.Fault)
}

// NewID returns an id for a run. Ids sort by time.
func NewID() string { return run.IDPrefix + ulid.Make().String() }

// Run executes a plan on the arguments of a call, a JSON object, and returns its
// record. It never fails: what went wrong is in the record's Status and Fault.
func Run(ctx context.Context, plan *engine.Plan, caller run.Caller, arguments json.RawMessage, o Options) *run.Record {
	if o.ID == "" {
		o.ID, o.NewRun = NewID(), true
	}
	kept := o.Options
	kept.OnResult = nil // of this attempt at the run
	return execute(ctx, plan, caller, o, &run.Record{
		ID: o.ID, Graph: plan.Name, Principal: o.Principal, Source: plan.Source(), Options: kept, Mode: o.Mode, Project: o.Project,
		Arguments: run.JSONOrText(arguments), Started: time.Now(),
	}, nil)
}

// Resume continues a run that stopped. What it has completed is not done
// again; a call that was in flight is repeated where that does no harm. The
// record is the run's from then on, and is returned.
func Resume(ctx context.Context, plan *engine.Plan, caller run.Caller, rec *run.Record, o Options) *run.Record {
	o.Options = rec.Options
	o.ID, o.Mode, o.NewRun = rec.ID, rec.Mode, false
	rec.Fault, rec.Result, rec.Ended = nil, nil, time.Time{}
	rec.CloseQuestions()
	return execute(ctx, plan, caller, o, rec, newMemory(rec))
}

func execute(ctx context.Context, plan *engine.Plan, caller run.Caller, o Options, rec *run.Record, past *memory) *run.Record {
	rec.Status = run.Running
	if o.World == nil {
		o.World = process{}
	}
	r := &runtime{branches: newBranches(o.Place), kinds: plan.Kinds(), caller: caller, o: &o, world: o.World, record: rec, past: past, keys: map[string]bool{}}
	r.keepPast()
	for i := range rec.Intents {
		r.setIntent(rec.Intents[i].Key, i)
		r.spent(&rec.Intents[i], 1)
	}
	rec.SetTally(nil)
	for _, step := range rec.Steps {
		r.ended = max(r.ended, step.Ended)
		r.tally.Add(step)
	}
	if o.Journal == nil {
		o.Journal = run.Forget{}
	}
	if err := o.Journal.Begin(rec, !o.NewRun); err != nil {
		rec.Status, rec.Fault, rec.Ended = run.Failed, journalFault(err), r.Now()
		return rec
	}
	ctx = engine.WithSavedGraphs(ctx)
	r.graphs = func() map[string]string { return plan.SavedRevisions(ctx) }
	result, err := walk(ctx, plan, r)
	r.endQuestions()
	admission.From(ctx).Pause()
	rec.Ended, rec.Result = r.Now(), result
	tally := r.tally // by itself, so that the record does not keep the runtime
	rec.SetTally(&tally)
	rec.Status, rec.Fault = outcome(err)
	safe := !o.NewRun || r.changed.Load() || rec.Status == run.Interrupted
	if err := o.Journal.End(rec, safe); err != nil && rec.Fault == nil {
		rec.Status, rec.Fault = run.Failed, journalFault(err)
	}
	return rec
}

// walk runs a plan. A panic is the run's fault, so that it ends this run and no
// other.
func walk(ctx context.Context, plan *engine.Plan, r *runtime) (result expr.Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, internal(p)
		}
	}()
	return plan.Run(ctx, r, r.record.Arguments, &r.o.Options)
}

var codeRunFailed = diag.DefineFault("run-failed", diag.FailsAttempt, "a run failed for a reason that has no code of its own", "read the message")

// outcome is the state of a run, given what Run of its plan returned.
func outcome(err error) (run.Status, *diag.Fault) {
	if err == nil {
		return run.Succeeded, nil
	}
	fault, ok := errors.AsType[*diag.Fault](err)
	if !ok {
		fault = &diag.Fault{Code: codeRunFailed, Message: err.Error(), Err: err}
	}
	switch {
	case run.Parked(fault):
		return run.Interrupted, fault
	case errors.Is(err, context.Canceled):
		return run.Cancelled, fault
	}
	return run.Failed, fault
}

func journalFault(err error) *diag.Fault {
	if f, ok := errors.AsType[*diag.Fault](err); ok {
		return f
	}
	return &diag.Fault{
		Code: diag.CodeJournalFailed, Message: "the run cannot be saved: " + err.Error(), Err: err,
		Hint: "free some disk space, or start patchbay with --store memory, which keeps no runs",
	}
}
