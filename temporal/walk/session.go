package walk

import (
	"context"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// A session is one execution of the workflow of a run.
type session struct {
	w     *Walker
	in    *wire.Input
	rec   *run.Record
	world *world
	calls map[string]*calling // in progress, by key
	held  map[string]*heldQuestion
	items map[string]int // how many the foreach of a step has, by its key

	parked    bool        // the run waits for a person
	again     bool        // it has got what it waits for
	next      *wire.Input // what it continues with instead
	cancelled *diag.Fault // why it ends
	cancel    context.CancelCauseFunc
	lost      bool // a call, with its worker
}

// Run is the workflow of a run. It returns when the run has ended; one that is parked waits
// in it. It does not fail: what went wrong is in the record.
func (w *Walker) Run(ctx workflow.Context, in wire.Input) (*wire.Outcome, error) {
	life, _ := workflow.NewDisconnectedContext(ctx) // a cancellation ends the run, not what it has to write
	s := &session{
		w: w, in: &in, rec: &in.Record.Record, calls: map[string]*calling{}, held: map[string]*heldQuestion{}, items: map[string]int{},
		world: &world{root: life, most: w.o.MaxEvents, spent: in.Spent},
	}
	s.rec.Status = run.Running
	if in.Attempt == 0 {
		s.rec.Begun++
	}
	if err := s.handle(life); err != nil {
		return nil, err
	}
	s.listen(ctx, life)
	plan, fault := w.plan(&in)
	for {
		if fault != nil {
			s.park(fault)
		} else {
			s.walk(plan)
		}
		switch {
		case s.cancelled != nil && s.rec.Status == run.Interrupted:
			s.endCancelled()
		case s.world.halted && s.rec.Status == run.Interrupted:
			if next := s.continued(); s.secure(life, next) {
				return nil, s.continueAsNew(life, next)
			}
			s.endCancelled()
		case s.lost && s.rec.Status == run.Interrupted:
			s.lost = false
			s.rec.Resumed = append(s.rec.Resumed, run.Resumption{At: s.world.Now(), After: "crash"})
			s.world.spent = s.world.used()
			continue
		}
		if s.rec.Status == run.Interrupted {
			s.await(life)
		}
		if s.next != nil {
			next := *s.next
			next.Resume, next.Spent, next.Attempt = true, 0, 0
			next.Record.Status, next.Record.Ended = run.Running, time.Time{}
			if s.secure(life, next) {
				s.rec = &next.Record.Record
				s.tell(life) // the next execution has this memo from its beginning
				return nil, s.continueAsNew(life, next)
			}
			s.next = nil
			s.endCancelled()
		}
		if s.rec.Status != run.Running {
			break
		}
	}
	outcome := s.outcome(life)
	s.tell(life)
	_ = workflow.Await(life, func() bool { return workflow.AllHandlersFinished(life) })
	return outcome, nil
}

// walk executes the run until it stops.
func (s *session) walk(plan *engine.Plan) {
	ctx, cancel := context.WithCancelCause(on(context.Background(), s.world.root))
	defer cancel(nil)
	s.cancel = cancel
	if s.cancelled != nil {
		cancel(s.cancelled)
	}
	s.world.began, s.world.limited = s.world.Now(), false
	o := local.Options{
		Principal: s.rec.Principal, Project: s.rec.Project, Mask: s.w.o.Mask, World: s.world, Replays: true, Meter: s.world.meter(), Keeper: s.world,
		Holder: s, MaxHeld: s.in.MaxHeld, ChangeState: s.changeState, Observer: local.Observer{Event: s.note, After: func(context.Context, run.Event) { s.world.done++ }},
	}
	if models := s.in.Pinned.Models; models != nil {
		o.MaxReply = func(model string) int { return models[model] }
	}
	local.Resume(ctx, plan, s, s.rec, o)
	s.cancel = nil
}

// park stops the run where it is.
func (s *session) park(fault *diag.Fault) {
	s.rec.Status, s.rec.Fault, s.rec.Ended = run.Interrupted, fault, s.world.Now()
}

func (s *session) endCancelled() {
	s.rec.Status, s.rec.Fault, s.rec.Ended = run.Cancelled, s.cancelled, s.world.Now()
}

// await returns when a parked run is to continue, or has been cancelled.
func (s *session) await(life workflow.Context) {
	s.parked, s.again = true, false
	defer func() { s.parked = false }()
	s.tell(life)
	ready := func() bool { return s.again || s.next != nil || s.cancelled != nil }
	if due := s.firstTimeout(); due.IsZero() {
		_ = workflow.Await(life, ready)
	} else {
		in := max(due.Sub(s.world.Now()), 0) + time.Millisecond
		answered, _ := workflow.AwaitWithTimeout(life, in, ready)
		if !answered {
			s.rec.Resumed = append(s.rec.Resumed, run.Resumption{At: s.world.Now(), After: run.NeedsAnswer, Decision: "timeout"})
		}
	}
	if s.cancelled != nil && s.next == nil {
		s.endCancelled()
		return
	}
	s.rec.Status = run.Running
	s.world.spent = 0 // the time limit of a run starts again when it resumes
	if s.next == nil {
		s.tell(life)
	}
}

// firstTimeout returns when the first open question expires, zero if none does.
func (s *session) firstTimeout() (first time.Time) {
	for _, in := range s.rec.Questions() {
		if !in.Until.IsZero() && (first.IsZero() || in.Until.Before(first)) {
			first = in.Until
		}
	}
	return first
}

// continued is with what the run continues as a new execution of its workflow, where it
// has stopped.
func (s *session) continued() wire.Input {
	next := *s.in
	next.Resume, next.Spent = true, s.world.used()
	next.Attempt++
	return next
}

func (s *session) continueAsNew(life workflow.Context, next wire.Input) error {
	_ = workflow.Await(life, func() bool { return workflow.AllHandlersFinished(life) })
	return workflow.NewContinueAsNewError(life, wire.Workflow, next)
}
