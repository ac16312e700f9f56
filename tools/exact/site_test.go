package exact_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// The ways in which a run is stopped: at an event, at a call, or by a limit.
const (
	stopCancel   = "cancel"
	stopTime     = "time limit"
	stopShutdown = "shutdown"
	crashLose    = "crash that loses what need not be safe"
	crashSome    = "crash that loses some of that"
	crashKeep    = "crash that loses nothing"
	stopFull     = "journal that cannot be written"

	stopFail    = "the tool's error"
	stopRefused = "call that is refused or not sent"
	stopLost    = "connection that is lost during a call"
	stopUnfit   = "result that cannot be used"

	stopLimit = "execution limit"
)

var (
	eventStops = []string{stopCancel, stopTime, stopShutdown, crashLose, crashSome, crashKeep, stopFull}
	callStops  = []string{stopFail, stopRefused, stopLost, stopUnfit}
	stops      = slices.Concat(eventStops, callStops, []string{stopLimit})
)

// What the site knows of a call that must not be repeated.
const (
	inFlight  = "in flight"
	completed = "completed"
	refused   = "refused"
	unsent    = "not sent"
	unknown   = "unknown"  // to the run
	unusable  = "unusable" // it was completed, and its result cannot be used
)

// maxResult is the limit of results; those that are too large exceed it.
const maxResult = 64 << 10

var tooLarge = json.RawMessage(`"` + strings.Repeat("x", maxResult) + `"`)

var (
	errCrash = errors.New("the process ended")
	errFull  = errors.New("the disk is full")
)

// site is the world of one run: a downstream that counts calls, and a journal. It
// stops the run at one of the events or calls there. What breaks the promise is in broken.
type site struct {
	*rand.Rand
	stop   string
	at     int // the event or call to stop at
	cancel context.CancelCauseFunc
	disk   disk

	mu       sync.Mutex
	events   int // so far
	arrived  int // calls so far
	fired    bool
	attempts int
	crashed  bool
	full     bool // nothing more can be written
	lossy    bool // a crash, a shutdown or a full disk may have lost why a call failed
	safe     bool // something of the run is on disk
	calls    map[string]string
	made     map[string]int
	keys     map[string]string // idempotency keys of steps
	executed map[string]int    // by idempotency key
	again    map[string]int    // decisions to make the call again, by step
	decided  map[string]bool   // steps that somebody decided to try again
	given    map[string]bool   // steps that were skipped or pinned
	injected bool              // a call was made to fail
	broken   []string

	untouched bool // nothing was decided but to go on
}

func newSite(seed uint64) *site {
	return &site{
		Rand: rand.New(rand.NewPCG(seed, 2)), disk: &memory{}, untouched: true, calls: map[string]string{}, made: map[string]int{}, keys: map[string]string{},
		executed: map[string]int{}, again: map[string]int{}, decided: map[string]bool{}, given: map[string]bool{},
	}
}

// fork returns a site that continues as s, with other chances.
func (s *site) fork(seed uint64) *site {
	f := &site{
		Rand: rand.New(rand.NewPCG(seed, 3)), stop: s.stop, at: s.at, disk: s.disk.(*memory).copied(), events: s.events, arrived: s.arrived, fired: s.fired, attempts: s.attempts,
		lossy: s.lossy, safe: s.safe, calls: maps.Clone(s.calls), made: maps.Clone(s.made), keys: maps.Clone(s.keys), executed: maps.Clone(s.executed), again: maps.Clone(s.again),
		decided: maps.Clone(s.decided), given: maps.Clone(s.given), injected: s.injected, broken: slices.Clone(s.broken), untouched: s.untouched,
	}
	return f
}

func (s *site) breaks(format string, args ...any) {
	s.broken = append(s.broken, fmt.Sprintf(format, args...))
}

// happens counts an event, and stops the run if it is the one. The caller holds mu.
func (s *site) happens() {
	s.events++
	if s.events != s.at || !slices.Contains(eventStops, s.stop) {
		return
	}
	s.fired = true
	switch s.stop {
	case stopCancel:
		s.cancel(&diag.Fault{Code: "cancelled", Message: "the run was cancelled", Err: context.Canceled})
	case stopTime:
		s.cancel(&diag.Fault{Code: "time-limit", Message: "the time of the run is up"})
	case stopShutdown:
		s.lossy = true
		s.cancel(&diag.Fault{Code: run.ShuttingDown, Message: "the process ends"})
	case stopFull:
		s.full, s.lossy = true, true
	default:
		s.crashed, s.lossy = true, true
		s.cancel(errCrash)
	}
}

// CallTool makes a call, which takes some time.
func (s *site) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	nth, fails, err := s.arrives(&c)
	switch {
	case err != nil:
		return nil, err
	case fails:
		return s.fail(&c)
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
	if s.crashed || ctx.Err() != nil && (s.stop != stopCancel || s.IntN(2) == 0) { // else it has completed when the run is stopped
		s.comes(&c, unknown)
		return nil, context.Cause(ctx)
	}
	s.comes(&c, completed)
	return &run.Result{Structured: c.Args}, nil
}

// fail makes a call fail in the way in which the run is stopped.
func (s *site) fail(c *run.Call) (*run.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.stop == stopFail:
		s.comes(c, refused)
		return &run.Result{IsError: true}, nil
	case s.stop == stopRefused && s.IntN(2) == 0:
		s.comes(c, unsent)
		return nil, &run.CallError{Outcome: run.CallNotSent, Err: errors.New("the server does not start")}
	case s.stop == stopRefused:
		s.comes(c, refused)
		return nil, &run.CallError{Outcome: run.CallRefused, Err: errors.New("the server refused the call")}
	case s.stop == stopLost:
		if s.comes(c, unknown); s.IntN(2) == 0 { // it was lost on the way there
			s.executed[c.Idempotency]--
		}
		return nil, errors.New("the connection was lost")
	}
	s.comes(c, unusable)
	switch s.IntN(3) {
	case 0:
		return &run.Result{Structured: tooLarge}, nil
	case 1:
		return &run.Result{Content: []json.RawMessage{json.RawMessage(`{`)}}, nil
	}
	return nil, &run.CallError{Outcome: run.CallCompleted, Err: errors.New("the result is not that of a tool")}
}

// comes notes what came of a call. The caller holds mu.
func (s *site) comes(c *run.Call, state string) {
	if c.Repeatable {
		return
	}
	s.calls[c.Key] = state
	if state == refused || state == unsent {
		return
	}
	step, _ := stepOf(c.Key)
	if s.executed[c.Idempotency]++; s.executed[c.Idempotency] > 1+s.again[step] {
		s.breaks("%s was executed %d times after %d decisions", step, s.executed[c.Idempotency], s.again[step])
	}
}

// stepOf returns the step that makes a call.
func stepOf(call string) (step string, ok bool) {
	i := strings.LastIndex(call, "/call")
	if i < 0 {
		return call, false
	}
	return call[:i], true
}

// arrives notes a call, and reports how often it was made and whether it fails. The error
// is the end of the process.
func (s *site) arrives(c *run.Call) (nth int, fails bool, crash error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.crashed {
		return 0, false, errCrash
	}
	step, _ := stepOf(c.Key)
	was := s.calls[c.Key]
	switch {
	case c.Repeatable:
	case was == inFlight:
		s.breaks("%s is called twice at the same time", step)
	case was == completed:
		s.breaks("%s has completed and is called again", step)
	case was != "" && was != unsent && !s.decided[step]:
		s.breaks("%s is %s and is called again without a decision about it", step, was)
	case !s.safe:
		s.breaks("%s is called before the run is safe", step)
	}
	if s.given[step] {
		s.breaks("%s was decided and is called", step)
	}
	if was, ok := s.keys[c.Idempotency]; ok && was != step {
		s.breaks("%s and %s have one idempotency key", was, step)
	}
	s.keys[c.Idempotency] = step
	if s.decided[step] {
		s.decided[step] = false
		s.again[step]++
	}
	s.made[c.Key]++
	if !c.Repeatable {
		s.calls[c.Key] = inFlight
	}
	if s.happens(); s.crashed {
		s.comes(c, unknown)
		return s.made[c.Key], false, errCrash
	}
	s.arrived++
	if s.arrived == s.at && slices.Contains(callStops, s.stop) {
		s.injected, s.fired, fails = true, true, true
	}
	return s.made[c.Key], fails, nil
}
