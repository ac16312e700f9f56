package local

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/run"
)

// runtime is the world of one run.
type runtime struct {
	kinds  *engine.KindSet // of the plan
	caller run.Caller
	o      *Options
	past   *memory // what an earlier attempt at the run has done; nil at the first

	mu      sync.Mutex
	record  *run.Record
	ended   int            // executions so far
	intents map[string]int // index in the record, by key
}

func (r *runtime) Now() time.Time { return time.Now() }

func (r *runtime) Record(ctx context.Context, e *run.Event) error {
	if !e.Ended {
		return r.start(ctx, e)
	}
	if r.record.Mode == run.DryRun && r.kinds.Waits(e.Type) && e.Simulated == "" {
		e.Simulated = run.DryRun
	}
	step := r.note(e)
	if h := r.o.Hooks.After; h != nil {
		h(ctx, *e)
	}
	if r.o.Journal == nil {
		return nil
	}
	if err := r.o.Journal.Step(r.record.ID, step, true); err != nil {
		return journalFault(err)
	}
	return nil
}

// start files the start of a step, or finds what an earlier attempt made of it.
func (r *runtime) start(ctx context.Context, e *run.Event) error {
	known, err := r.past.recall(e)
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
	step := r.note(e)
	if r.o.Journal != nil && !e.Pure {
		if err := r.o.Journal.Step(r.record.ID, step, false); err != nil {
			return journalFault(err)
		}
	}
	if h := r.o.Hooks.Before; h != nil {
		return h(ctx, *e)
	}
	return nil
}

// note files an event in the record, passes it on, and returns the step as it then
// is.
func (r *runtime) note(e *run.Event) run.StepRecord {
	step := r.file(e)
	if r.o.OnEvent != nil {
		r.o.OnEvent(*e)
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
			r.record.Steps = append(r.record.Steps, run.StepRecord{Index: e.Index})
		}
	}
	step := &r.record.Steps[e.Index]
	if !e.Ended {
		*step = run.StepRecord{Index: e.Index, Node: e.Node, Type: e.Type, Key: e.Key, Part: e.Part, Pure: e.Pure, Started: e.At, Definition: e.Definition, Branches: e.Branches}
	} else {
		r.ended++
		step.Ended = r.ended
		e.Duration = e.At.Sub(step.Started)
		step.Duration, step.Input, step.Output, step.Simulated = e.Duration, e.Input, e.Output, e.Simulated
		step.Caught, step.Attempts = e.Caught, e.Attempts
		if e.Err != nil {
			step.Fault, _ = errors.AsType[*diag.Fault](e.Err)
		}
	}
	return *step
}

// intend files an intent or what came of it.
func (r *runtime) intend(in run.Intent, safe bool) error {
	r.mu.Lock()
	if i, there := r.intents[in.Key]; there {
		r.record.Intents[i] = in
	} else {
		r.intents[in.Key] = len(r.record.Intents)
		r.record.Intents = append(r.record.Intents, in)
	}
	r.mu.Unlock()
	if r.o.Journal == nil {
		return nil
	}
	if err := r.o.Journal.Intend(r.record.ID, in, safe); err != nil {
		return journalFault(err)
	}
	return nil
}

// Call runs a downstream tool. Its intent is kept before it starts; one that an
// earlier attempt at the run had begun is repeated only where that does no harm.
func (r *runtime) Call(ctx context.Context, c run.Call) (*run.Result, error) {
	step, _, _ := cutLast(c.Key, "/call")
	if r.past != nil && r.past.replay {
		return nil, notRecorded(step)
	}
	if r.caller == nil && c.Server == run.HTTPServer {
		return nil, diag.Faultf("http-not-allowed", "no HTTP client is configured")
	}
	if r.caller == nil {
		return nil, diag.Faultf("no-servers", "no downstream server is connected, so %s/%s cannot be called", c.Server, c.Tool)
	}
	in := run.Intent{Key: c.Key, Step: step, Kind: run.IntentCall, At: time.Now()}
	if earlier := r.past.intent(c.Key); earlier != nil {
		if earlier.Outcome != nil {
			return failure(earlier.Outcome)
		}
		if !c.Repeatable {
			return nil, unknownOutcome(c, step, earlier.At)
		}
	}
	if r.o.Journal != nil {
		sum := sha256.Sum256([]byte(r.record.ID + "\x00" + step))
		c.Idempotency = base64.RawURLEncoding.EncodeToString(sum[:18])
		in.Detail = detail(c)
		if err := r.intend(in, !c.Repeatable); err != nil {
			return nil, err
		}
	}
	res, err := r.caller.CallTool(ctx, c)
	stopped := context.Cause(ctx) != nil
	if r.o.Journal == nil && stopped && err != nil && !c.Repeatable { // it may have happened
		in.Detail = detail(c)
		if kept := r.intend(in, false); kept != nil {
			return nil, kept
		}
	}
	if r.o.Journal != nil && !stopped && (err != nil || res.IsError) {
		in.Outcome = failed(res, err)
		if kept := r.intend(in, false); kept != nil {
			return nil, kept
		}
	}
	return res, err
}

// detail says what an intent to call is about.
func detail(c run.Call) json.RawMessage {
	b, _ := json.Marshal(map[string]string{"server": c.Server, "tool": c.Tool})
	return b
}

// cutLast cuts a text at the last place of a separator.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// Sleep waits. A wait that an earlier attempt had begun ends when that would have.
func (r *runtime) Sleep(ctx context.Context, key string, d time.Duration) error {
	if r.past != nil && r.past.replay || r.record.Mode == run.DryRun {
		return nil
	}
	if earlier := r.past.intent(key); earlier != nil {
		d = time.Until(earlier.Until)
	} else if r.o.Journal != nil {
		step, _, _ := cutLast(key, "/")
		now := time.Now()
		if err := r.intend(run.Intent{Key: key, Step: step, Kind: run.IntentSleep, At: now, Until: now.Add(d)}, false); err != nil {
			return err
		}
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
