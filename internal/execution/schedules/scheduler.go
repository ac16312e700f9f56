package schedules

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/run"
)

// maxWait is how long a scheduler waits before it looks at the clock again: timers stop
// while a machine sleeps.
const maxWait = time.Minute

// Options are what a [Scheduler] works with.
type Options struct {
	Project string
	Store   run.ScheduleStore
	NewID   func() string // of a run
	// Start starts the run of an ID for the occurrence of a schedule, and returns when it
	// has begun. After [ErrBusy] it is called again a minute later.
	Start func(ctx context.Context, s Schedule, id string) error
	Log   *slog.Logger
}

// ErrBusy is the error of a start that may succeed later.
var ErrBusy = errors.New("too many runs are in progress")

// A Scheduler starts what is due. Occurrences that were missed, because no process was
// there, are made up for by one.
type Scheduler struct {
	o Options

	work sync.WaitGroup // runs that are being started

	mu      sync.Mutex
	list    []Schedule
	changed chan struct{} // closed and replaced when list changes
}

// New returns a scheduler without schedules.
func New(o Options) *Scheduler { return &Scheduler{o: o, changed: make(chan struct{})} }

// Set replaces the schedules.
func (s *Scheduler) Set(list []Schedule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = list
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Scheduler) current() ([]Schedule, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list, s.changed
}

// Run starts what is due until ctx ends.
func (s *Scheduler) Run(ctx context.Context) {
	defer s.work.Wait()
	for {
		list, changed := s.current()
		wait := maxWait
		for i := range list {
			if ctx.Err() != nil {
				return
			}
			wait = min(wait, time.Until(s.handle(ctx, list[i])))
		}
		timer := time.NewTimer(max(wait, time.Millisecond))
		select {
		case <-timer.C:
		case <-changed:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

// handle starts a schedule if it is due, and returns when to look at it again.
func (s *Scheduler) handle(ctx context.Context, sched Schedule) time.Time {
	log := s.o.Log.With("schedule", sched.Name, "graph", sched.Graph)
	now := time.Now()
	mark, err := s.o.Store.ScheduleMark(s.o.Project, sched.Name)
	if err != nil {
		log.Error("a schedule cannot be read", "error", err)
		return now.Add(maxWait)
	}
	if mark == nil || mark.Definition != sched.definition() {
		fresh := run.ScheduleMark{At: now, Definition: sched.definition()}
		if _, err := s.o.Store.SetScheduleMark(s.o.Project, sched.Name, mark, fresh); err != nil {
			log.Error("a schedule cannot be stored", "error", err)
		}
		return sched.Next(now)
	}
	due := sched.Next(mark.At)
	if due.After(now) && !mark.Abandoned {
		return due
	}
	s.claim(ctx, log, &sched, mark, now)
	return sched.Next(now)
}

// claim claims what is due of a schedule up to now and starts it once, in the background,
// unless another process has been faster.
func (s *Scheduler) claim(ctx context.Context, log *slog.Logger, sched *Schedule, was *run.ScheduleMark, now time.Time) {
	claim := run.ScheduleMark{At: now, Definition: sched.definition(), Run: s.o.NewID()}
	ours, err := s.o.Store.SetScheduleMark(s.o.Project, sched.Name, was, claim)
	if err != nil {
		log.Error("a schedule cannot be claimed", "error", err)
		return
	}
	if ours {
		s.work.Go(func() { s.start(ctx, log, sched, &claim) })
	}
}

// start starts the run of a claim, and says in the mark of the schedule that this is done.
// It tries again while there are too many runs and the occurrence is still to be started.
func (s *Scheduler) start(ctx context.Context, log *slog.Logger, sched *Schedule, claim *run.ScheduleMark) {
	for {
		err := s.o.Start(ctx, *sched, claim.Run)
		if err != nil {
			if ctx.Err() != nil {
				return // the next process takes it up
			}
			log.Error("a schedule cannot start its graph", "error", err)
		}
		if !errors.Is(err, ErrBusy) {
			break
		}
		select {
		case <-time.After(maxWait):
		case <-ctx.Done():
			return
		}
		if list, _ := s.current(); s.claimedMark(sched, claim) == nil || !slices.ContainsFunc(list, func(o Schedule) bool { return o.Name == sched.Name }) {
			return
		}
	}
	mark := s.claimedMark(sched, claim)
	if mark == nil {
		return
	}
	done := *mark
	done.Run = ""
	if _, err := s.o.Store.SetScheduleMark(s.o.Project, sched.Name, mark, done); err != nil {
		log.Error("a schedule cannot be stored", "error", err)
	}
}

// claimedMark is the mark of a schedule, nil if it is not that of the claim any more.
func (s *Scheduler) claimedMark(sched *Schedule, claim *run.ScheduleMark) *run.ScheduleMark {
	mark, err := s.o.Store.ScheduleMark(s.o.Project, sched.Name)
	if err != nil || mark == nil || mark.Run != claim.Run {
		return nil
	}
	return mark
}
