package local

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/run"
)

// runtime is the world of one run.
type runtime struct {
	kinds  *engine.KindSet // of the plan
	caller run.Caller
	o      *Options
	world  World
	past   *memory                  // what an earlier attempt at the run has done; nil at the first
	graphs func() map[string]string // revisions of the saved graphs that the run may call

	mu      sync.Mutex
	record  *run.Record
	steps   run.Steps       // makes those of the record
	tally   run.Tally       // of the record
	ended   int             // executions so far
	intents map[string]int  // index in the record, by key; nil before the first
	keys    map[string]bool // of the executions that have started, but for pure ones

	kept    atomic.Int64     // bytes of inputs and outputs, if somebody asks
	arrived map[string]int64 // of these, by key of the step: of results that are not outputs yet
	tokens  int              // that models have taken, or may have
	changed atomic.Bool      // a call was made that must not be repeated

	branches *branches

	asking sync.WaitGroup // questions with which calls wait
	over   bool           // the run has come to its end: nothing is asked any more

	permits struct {
		sync.Mutex
		any     atomic.Bool
		waiting map[string]error // why the calls of a tool wait, by server/tool
	}
}

// Now implements [engine.Runtime].
func (r *runtime) Now() time.Time { return r.world.Now() }

// Used implements [engine.Runtime].
func (r *runtime) Used() int { return r.past.used() }

// Counted implements [engine.Runtime].
func (r *runtime) Counted(key string) bool {
	if r.past == nil {
		return false
	}
	_, recorded := r.past.steps[key]
	return recorded
}

func (r *runtime) Record(ctx context.Context, e *run.Event) error {
	if !e.Ended {
		return r.start(ctx, e)
	}
	if r.record.Mode == run.DryRun && r.kinds.Waits(e.Type) && e.Simulated == "" {
		e.Simulated = run.DryRun
	}
	r.keep(e)
	step := r.note(e)
	if h := r.o.Observer.After; h != nil {
		h(ctx, *e)
	}
	if r.past.lost(e.Key) != nil && e.Err == nil { // it is kept already
		return nil
	}
	if err := r.explain(e); err != nil {
		return err
	}
	return r.tell(step)
}

// tell has the journal keep a step.
func (r *runtime) tell(step run.StepRecord) error {
	if err := r.o.Journal.Step(r.record.ID, step); err != nil {
		return journalFault(err)
	}
	return nil
}

// start files the start of a step, or finds what an earlier attempt made of it.
func (r *runtime) start(ctx context.Context, e *run.Event) error {
	if r.o.Meter != nil {
		e.Scope.Measure(r.o.Meter)
	}
	if err := r.room(ctx); err != nil {
		return err
	}
	turn := admission.From(ctx)
	if err := turn.Continue(ctx, e.At); err != nil {
		return err
	}
	if err := r.claim(e); err != nil {
		return err
	}
	known, err := r.past.recall(e)
	e.Repeats = r.o.Replays || e.Again || r.past.repeats()
	switch {
	case err != nil:
		return err
	case known && r.past.replay:
		ended := *e
		e.Ended = false
		r.note(e)
		ended.Index = e.Index
		*e = ended
		r.note(e)
		return nil
	case known:
		return nil
	}
	if err := r.pause(ctx, e); err != nil {
		return err
	}
	step := r.note(e)
	if !e.Pure && r.past.lost(e.Key) == nil {
		if err := r.tell(step); err != nil {
			return err
		}
	}
	if h := r.o.Observer.Before; h != nil {
		turn.Pause()
		return h(ctx, *e)
	}
	return nil
}

// claim refuses a second execution with the same key: one would be taken for the
// other when the run is resumed. Two that are pure give the same.
func (r *runtime) claim(e *run.Event) error {
	if e.Pure {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.keys[e.Key] {
		return diag.Faultf(diag.CodeInternalError, "internal error in Patchbay: two steps have the key %s", e.Key)
	}
	r.keys[e.Key] = true
	return nil
}

// note files an event in the record, passes it on, and returns the step as it then
// is.
func (r *runtime) note(e *run.Event) run.StepRecord {
	step := r.file(e)
	if r.o.Observer.Event != nil {
		r.o.Observer.Event(*e)
	}
	return step
}

func (r *runtime) file(e *run.Event) run.StepRecord {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !e.Ended {
		if i, begun := r.past.index(e.Key); begun {
			e.Index = i
		} else {
			e.Index = len(r.record.Steps)
			fresh := r.steps.New()
			r.record.Steps = append(r.record.Steps, fresh)
			r.tally.Add(fresh)
		}
	}
	step := r.record.Steps[e.Index]
	r.tally.Remove(step)
	defer r.tally.Add(step)
	if !e.Ended {
		*step = run.StepRecord{Index: e.Index, Node: e.Node, Type: e.Type, Key: e.Key, Part: e.Part, Pure: e.Pure, Frame: e.Frame, Started: e.At, Definition: e.Definition, Branches: e.Branches}
	} else {
		r.ended++
		step.Ended = r.ended
		e.Duration = e.At.Sub(step.Started)
		if was := r.past.lost(e.Key); was != nil {
			step.Ended, e.Duration = was.Ended, was.Duration
		}
		step.Call, step.Duration, step.Input, step.Output, step.Simulated = e.Call, e.Duration, e.Input, e.Output, e.Simulated
		step.Size, step.Caught, step.Attempts = e.Size, e.Caught, e.Attempts
		if e.Err != nil {
			step.Fault, _ = errors.AsType[*diag.Fault](e.Err)
		}
	}
	return *step
}

func (r *runtime) setIntent(key string, at int) {
	if r.intents == nil {
		r.intents = map[string]int{}
	}
	r.intents[key] = at
}

// spent counts the tokens of an intent.
func (r *runtime) spent(in *run.Intent, times int) {
	t, _ := in.Tokens()
	r.tokens += times * t.Sum()
}

// intend stores an intent or its outcome.
func (r *runtime) intend(in run.Intent, safe bool) error {
	r.mu.Lock()
	if i, there := r.intents[in.Key]; there {
		r.spent(&r.record.Intents[i], -1)
		r.record.Intents[i] = in
	} else {
		r.setIntent(in.Key, len(r.record.Intents))
		r.record.Intents = append(r.record.Intents, in)
	}
	r.spent(&in, 1)
	r.mu.Unlock()
	if err := r.o.Journal.Intend(r.record.ID, in, safe); err != nil {
		return journalFault(err)
	}
	return nil
}

// cutLast cuts a text at the last place of a separator.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// longWait is the shortest wait whose end is stored before it begins. A shorter
// one is waited for again.
const longWait = time.Second

// Sleep waits. A wait that an earlier attempt had begun ends when that would have.
func (r *runtime) Sleep(ctx context.Context, key string, d time.Duration) error {
	if r.past != nil && r.past.replay && !r.retries(key) || r.record.Mode == run.DryRun {
		return nil
	}
	if earlier := r.past.intent(key); earlier != nil {
		d = earlier.Until.Sub(r.Now())
	} else {
		step, _, _ := cutLast(key, "/")
		now := r.Now()
		if err := r.intend(run.Intent{Key: key, Step: step, Kind: run.IntentSleep, At: now, Until: now.Add(d)}, d > longWait); err != nil {
			return err
		}
	}
	admission.From(ctx).Pause()
	if d <= 0 {
		return r.world.Sleep(ctx, d)
	}
	return r.branches.wait(ctx, key, func() error { return r.world.Sleep(ctx, d) })
}

// retries reports whether a replay waits before it asks a model again.
func (r *runtime) retries(key string) bool {
	step, _, is := cutLast(key, run.RetryKey)
	r.mu.Lock()
	defer r.mu.Unlock()
	_, asked := r.intents[step+"/call"]
	return is && asked
}

// Deadline implements [engine.Runtime].
func (r *runtime) Deadline(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	return r.world.Deadline(ctx, d, cause)
}
