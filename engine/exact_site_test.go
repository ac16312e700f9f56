package engine_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// The ways in which a run is stopped.
const (
	stopFail     = "failure"
	stopError    = "error"
	stopCancel   = "cancel"
	stopTime     = "time limit"
	stopLimit    = "execution limit"
	stopShutdown = "shutdown"
	crashLose    = "crash that loses what need not be safe"
	crashSome    = "crash that loses some of that"
	crashKeep    = "crash that loses nothing"
)

var stops = []string{stopFail, stopError, stopCancel, stopTime, stopLimit, stopShutdown, crashLose, crashSome, crashKeep}

// What the site knows of a call.
const (
	inFlight  = "in flight"
	completed = "completed"
	failed    = "failed"
	unknown   = "unknown" // to the run
)

// site is the world of one run: a downstream that counts calls, and a journal. It
// stops the run at one of the events there. What breaks the promise is in broken.
type site struct {
	*rand.Rand
	stop   string
	at     int // the event to stop at
	cancel context.CancelCauseFunc

	mu        sync.Mutex
	events    int // of this attempt
	most      int // of any
	attempts  int
	crashed   bool
	told      *run.Record // as the run told it
	safe      *run.Record // as far as it is on disk
	calls     map[string]string
	made      map[string]int
	keys      map[string]string // idempotency keys of steps
	decided   map[string]bool   // steps that somebody decided to try again
	given     map[string]bool   // steps that were skipped or pinned
	injected  bool              // a call was made to fail
	broken    []string
	untouched bool // nothing was decided but to go on
}

func newSite(seed uint64) *site {
	return &site{Rand: rand.New(rand.NewPCG(seed, 2)), calls: map[string]string{}, made: map[string]int{}, keys: map[string]string{}, decided: map[string]bool{}, given: map[string]bool{}, untouched: true}
}

func (s *site) breaks(format string, args ...any) {
	s.broken = append(s.broken, fmt.Sprintf(format, args...))
}

// happens counts an event, and stops the run if it is the one. The caller holds mu.
func (s *site) happens() (fail bool) {
	s.events++
	if s.events < s.at {
		return false
	}
	if s.stop == stopFail || s.stop == stopError {
		return true
	}
	if s.events > s.at {
		return false
	}
	switch s.stop {
	case stopCancel:
		s.cancel(&diag.Fault{Code: "cancelled", Message: "the run was cancelled", Err: context.Canceled})
	case stopTime:
		s.cancel(&diag.Fault{Code: "time-limit", Message: "the time of the run is up"})
	case stopShutdown:
		s.cancel(&diag.Fault{Code: run.ShuttingDown, Message: "the process ends"})
	case crashLose, crashSome, crashKeep:
		s.crashed = true
		s.cancel(errCrash)
	}
	return false
}

// CallTool makes a call, which takes some time.
func (s *site) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	nth, fails := s.arrives(&c)
	if fails {
		if s.stop == stopFail {
			return &run.Result{IsError: true}, nil
		}
		return nil, errDown
	}
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, c.Key)
	takes := time.Duration(h.Sum64()%9) * time.Millisecond
	if h.Sum64()%4 == 0 && nth == 1 {
		takes = 20 * time.Millisecond
	}
	select {
	case <-time.After(takes):
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() == nil {
		s.happens()
	}
	if s.crashed || ctx.Err() != nil && s.calls[c.Key] == inFlight && s.stop != stopCancel {
		s.calls[c.Key] = unknown
		return nil, context.Cause(ctx)
	}
	if ctx.Err() != nil && s.IntN(2) == 0 { // the other half has completed when the run is stopped
		s.calls[c.Key] = unknown
		return nil, context.Cause(ctx)
	}
	s.calls[c.Key] = completed
	return &run.Result{Structured: c.Args}, nil
}

// arrives notes a call, and reports how often it was made and whether it fails.
func (s *site) arrives(c *run.Call) (nth int, fails bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.crashed {
		return nth, true
	}
	step, _, _ := strings.Cut(c.Key, "/call")
	if i := strings.LastIndex(c.Key, "/call"); i >= 0 {
		step = c.Key[:i]
	}
	if was := s.calls[c.Key]; !c.Repeatable {
		switch {
		case was == inFlight:
			s.breaks("%s is called twice at the same time", step)
		case was == completed:
			s.breaks("%s has completed and is called again", step)
		case was != "" && !s.decided[step]:
			s.breaks("%s is %s and is called again without a decision about it", step, was)
		case s.told != nil && s.safe == nil:
			s.breaks("%s is called before the run is safe", step)
		}
	}
	if s.given[step] {
		s.breaks("%s was decided and is called", step)
	}
	if was, ok := s.keys[c.Idempotency]; ok && was != step {
		s.breaks("%s and %s have one idempotency key", was, step)
	}
	s.keys[c.Idempotency] = step
	s.decided[step] = false
	s.made[c.Key]++
	nth = s.made[c.Key]
	s.calls[c.Key] = inFlight
	if s.happens() && !s.injected {
		s.injected, s.calls[c.Key] = true, failed
		return nth, true
	}
	if s.crashed {
		s.calls[c.Key] = unknown
	}
	return nth, s.crashed
}

// write tells the journal something.
func (s *site) write(safe bool, apply func(*run.Record)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.happens()
	if s.crashed {
		return errCrash
	}
	if s.told == nil {
		s.told = &run.Record{}
	}
	apply(s.told)
	if safe || s.stop == crashKeep || s.stop == crashSome && s.IntN(3) == 0 {
		s.safe = copied(s.told)
	}
	s.happens()
	return nil
}

func copied(r *run.Record) *run.Record {
	c := *r
	c.Steps, c.Intents, c.Resumed = slices.Clone(r.Steps), slices.Clone(r.Intents), slices.Clone(r.Resumed)
	return &c
}

func (s *site) Begin(r *run.Record, safe bool) error {
	return s.write(safe, func(told *run.Record) { *told = *copied(r) })
}

func (s *site) Step(_ string, step run.StepRecord) error {
	return s.write(false, func(told *run.Record) {
		for len(told.Steps) <= step.Index {
			told.Steps = append(told.Steps, run.StepRecord{Index: len(told.Steps)})
		}
		told.Steps[step.Index] = step
	})
}

func (s *site) Intend(_ string, in run.Intent, safe bool) error {
	return s.write(safe, func(told *run.Record) {
		at := slices.IndexFunc(told.Intents, func(i run.Intent) bool { return i.Key == in.Key })
		if at < 0 {
			told.Intents = append(told.Intents, in)
			return
		}
		told.Intents[at] = in
	})
}

func (s *site) End(r *run.Record, safe bool) error {
	return s.write(safe, func(told *run.Record) { told.Status, told.Fault, told.Result = r.Status, r.Fault, r.Result })
}

// reload returns the record as it is after the end of the process, nil where nothing
// is kept.
func (s *site) reload(rec *run.Record) *run.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, state := range s.calls {
		if state == inFlight {
			s.breaks("%s is still in flight", key)
		}
	}
	if !s.crashed {
		return rec
	}
	s.crashed = false
	if s.safe == nil {
		return nil
	}
	rec = copied(s.safe)
	s.told = copied(s.safe)
	if rec.Status == run.Running {
		rec.Status, rec.Fault = run.Interrupted, &diag.Fault{Code: "crashed", Message: "the process ended"}
	}
	done, ended := map[string]bool{}, map[string]bool{}
	clear(s.given)
	for i := range rec.Steps {
		done[rec.Steps[i].Key+"/call"], ended[rec.Steps[i].Key+"/call"] = rec.Steps[i].Done(), rec.Steps[i].Ended > 0
		s.given[rec.Steps[i].Key] = rec.Steps[i].Given()
	}
	for i := range rec.Intents {
		if in := &rec.Intents[i]; in.Kind == run.IntentCall {
			if s.calls[in.Key] == "" && in.Outcome == nil {
				s.calls[in.Key] = unknown
			}
			if in.Outcome != nil {
				ended[in.Key] = true
			}
		}
	}
	for key, state := range s.calls {
		if state == completed && !done[key] || state == failed && !ended[key] {
			s.calls[key] = unknown
		}
	}
	return rec
}
