package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/internal/journal"
	"github.com/patchbay-mcp/patchbay/run"
)

// A RunJournal keeps runs on disk as they go.
type RunJournal interface {
	run.Journal
	run.Archive
	// Abandoned returns the runs of a project whose process has ended; they are this
	// process's from then on.
	Abandoned(project string) ([]*run.Record, error)
	// Cancel asks the process that runs it to end a run.
	Cancel(principal, id string) error
	// OnCancel says what to do when another process asks that.
	OnCancel(f func(id string))
	Close() error
}

// Bounds on the runs of one process, unless the options say otherwise.
const (
	DefaultMaxRuns   = 256
	DefaultMaxQueued = 1024
)

// runner starts the runs of this process, bounds how many go on at the same
// time, and can stop each.
type runner struct {
	memory *journal.Memory // where runs are kept without a journal
	open   func() (RunJournal, error)

	slots  chan struct{}
	queued int
	life   context.Context //nolint:containedctx // ends with Close
	end    context.CancelCauseFunc

	mu      sync.Mutex
	active  map[string]*running
	waiting int
	timers  map[string]*time.Timer // of runs with a question that has a time limit
	closed  bool
	opened  RunJournal // nil until a run needs it
	ended   sync.WaitGroup
}

// running is a run in progress.
type running struct {
	principal string
	cancel    context.CancelCauseFunc
	done      chan struct{}
}

func newRunner(o Options) *runner {
	r := &runner{memory: journal.NewMemory(nil), active: map[string]*running{}, timers: map[string]*time.Timer{}, queued: o.MaxQueued}
	r.life, r.end = context.WithCancelCause(context.Background())
	if r.queued == 0 {
		r.queued = DefaultMaxQueued
	}
	most := o.MaxRuns
	if most == 0 {
		most = DefaultMaxRuns
	}
	r.slots = make(chan struct{}, most)
	if o.Journal != nil {
		r.open = sync.OnceValues(func() (RunJournal, error) {
			j, err := o.Journal()
			if err != nil {
				return nil, err
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.closed {
				_ = j.Close()
				return nil, closing()
			}
			r.opened = j
			j.OnCancel(func(id string) { r.stop("", id, cancelled("patchbay runs cancel")) })
			return j, nil
		})
	}
	return r
}

// journal returns the journal, nil where runs are kept in memory.
func (r *runner) journal() (RunJournal, *diag.Fault) {
	if r.open == nil {
		return nil, nil
	}
	j, err := r.open()
	if err == nil {
		return j, nil
	}
	if f, ok := errors.AsType[*diag.Fault](err); ok {
		return nil, f
	}
	return nil, &diag.Fault{Code: "journal-failed", Message: err.Error(), Err: err, Hint: "start patchbay with --store memory, which keeps no runs"}
}

// archive is where runs are found.
func (r *runner) archive() (run.Archive, *diag.Fault) {
	j, fault := r.journal()
	if fault != nil || j != nil {
		return j, fault
	}
	return r.memory, nil
}

func cancelled(by string) *diag.Fault {
	return &diag.Fault{Code: "cancelled", Message: "the run was cancelled by " + by, Err: context.Canceled}
}

// stop ends a run of this process; it is false where it has none of that id.
func (r *runner) stop(principal, id string, why *diag.Fault) bool {
	r.mu.Lock()
	wrecked := r.active[id]
	r.mu.Unlock()
	if wrecked == nil || principal != "" && wrecked.principal != principal {
		return false
	}
	wrecked.cancel(why)
	return true
}

// wait returns when a run of this process has stopped, or the context ends.
func (r *runner) wait(ctx context.Context, id string) {
	r.mu.Lock()
	wrecked := r.active[id]
	r.mu.Unlock()
	if wrecked == nil {
		return
	}
	select {
	case <-wrecked.done:
	case <-ctx.Done():
	}
}

// begin takes a place among the runs in progress, waiting for one if need be. The
// context that it returns ends with the run; end gives the place back. The run
// ends when ctx ends; how ctx ended says whether it is cancelled or parked.
func (r *runner) begin(ctx context.Context, principal, id string) (bound context.Context, end func(), fault *diag.Fault) {
	if fault := r.place(ctx); fault != nil {
		return nil, nil, fault
	}
	bound, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	leave := context.AfterFunc(ctx, func() { cancel(left(ctx)) })
	if ctx.Err() != nil {
		cancel(left(ctx))
	}
	wrecked := &running{principal: principal, cancel: cancel, done: make(chan struct{})}
	r.mu.Lock()
	if r.closed || r.active[id] != nil {
		f := diag.Faultf("run-busy", "the run %s is going on already", id)
		if r.closed {
			f = closing()
		}
		r.mu.Unlock()
		<-r.slots
		leave()
		cancel(nil)
		return nil, nil, f
	}
	r.active[id] = wrecked
	r.ended.Add(1)
	r.mu.Unlock()
	return bound, func() {
		r.mu.Lock()
		delete(r.active, id)
		r.mu.Unlock()
		close(wrecked.done)
		leave()
		cancel(nil)
		<-r.slots
		r.ended.Done()
	}, nil
}

// place waits until fewer runs go on than may. A queue that is full is refused.
func (r *runner) place(ctx context.Context) *diag.Fault {
	select {
	case r.slots <- struct{}{}:
		return nil
	default:
	}
	r.mu.Lock()
	if r.waiting >= r.queued {
		waiting := r.waiting
		r.mu.Unlock()
		return &diag.Fault{
			Code: "too-many-runs", Message: fmt.Sprintf("%d runs are going on and %d are waiting, as many as may", cap(r.slots), waiting),
			Hint: "call again later; the operator's limits.maxRuns and limits.maxQueuedRuns set the bounds",
		}
	}
	r.waiting++
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		r.waiting--
		r.mu.Unlock()
	}()
	select {
	case r.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return &diag.Fault{Code: "cancelled", Message: "the run was cancelled before it began", Err: context.Cause(ctx)}
	}
}

func closing() *diag.Fault {
	return &diag.Fault{Code: run.ShuttingDown, Message: "stopped because patchbay ends; the run can go on later", Hint: "patchbay serve with the same configuration resumes it; or resume_run with decision retry"}
}

// left says why a run ends whose caller's context has ended. A cancellation, a
// deadline and a fault are the cause as they are. Any other cause is the end of
// the connection: the client did not cancel the run, so it is parked.
func left(ctx context.Context) error {
	cause := context.Cause(ctx)
	if _, ok := errors.AsType[*diag.Fault](cause); ok || errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	f := closing()
	f.Message, f.Err = "stopped because the client's connection ended; the run can go on later", cause
	return f
}

// Close parks what is running so that it can go on later, and closes the journal.
func (pb *App) Close() {
	r := pb.runner
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return
	}
	r.closed = true
	r.end(closing())
	for _, timer := range r.timers {
		timer.Stop()
	}
	for _, wrecked := range r.active {
		wrecked.cancel(closing())
	}
	r.mu.Unlock()
	ended := make(chan struct{})
	go func() { r.ended.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(time.Second):
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opened != nil {
		_ = r.opened.Close()
	}
}

// start runs a plan as a new run. The record is filed in the archive. A fault
// says that it could not begin.
func (pb *App) start(ctx context.Context, plan *engine.Plan, arguments json.RawMessage, o local.Options) (*run.Record, *diag.Fault) {
	o.ID, o.Principal, o.Project = local.NewID(), principal(ctx), pb.project
	if o.Limits == (run.Limits{}) {
		o.Limits = pb.limits
	}
	return pb.carry(ctx, plan.Name, o, func(ctx context.Context, caller run.Caller, o local.Options) *run.Record {
		return local.Run(ctx, plan, caller, arguments, o)
	})
}

// resume goes on with a run that has stopped.
func (pb *App) resume(ctx context.Context, plan *engine.Plan, rec *run.Record, onEvent func(run.Event)) (*run.Record, *diag.Fault) {
	o := local.Options{Options: rec.Options, Principal: rec.Principal, Mode: rec.Mode, OnEvent: onEvent}
	o.ID = rec.ID
	if pb.project != "" {
		rec.Project = pb.project
	}
	return pb.carry(ctx, plan.Name, o, func(ctx context.Context, caller run.Caller, o local.Options) *run.Record {
		return local.Resume(ctx, plan, caller, rec, o)
	})
}

func (pb *App) carry(ctx context.Context, graph string, o local.Options, walk func(context.Context, run.Caller, local.Options) *run.Record) (*run.Record, *diag.Fault) {
	journal, fault := pb.runner.journal()
	if fault != nil {
		return nil, fault
	}
	if journal != nil {
		o.Journal = journal
	}
	ctx, end, fault := pb.runner.begin(ctx, o.Principal, o.ID)
	if fault != nil {
		return nil, fault
	}
	defer end()
	caller := pb.caller()
	if o.Mode == modeDry {
		caller = local.DryRun(caller, &toolbox{pb: pb, ctx: ctx})
	}
	ctx, watch := pb.watch(ctx, graph, &o)
	rec := walk(ctx, watch.caller(caller), o)
	watch.ended(rec)
	if journal == nil {
		pb.runner.memory.Keep(rec)
	}
	pb.wake(rec)
	return rec, nil
}
