// Package local runs plans in this process: it is the [engine.Runtime] of a
// server and of the command line. It knows the clock and the downstream caller,
// and keeps the record of each run.
package local

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
)

// Options of one run.
type Options struct {
	engine.RunOptions
	Principal string
	OnEvent   func(engine.Event) // called for one event at a time; may be nil
}

// Run executes a plan on the arguments of a call, a JSON object, and returns its
// record. It never fails: what went wrong is in the record's Status and Fault.
func Run(ctx context.Context, plan *engine.Plan, caller engine.Caller, arguments json.RawMessage, o Options) *engine.Record {
	if o.ID == "" {
		o.ID = "run_" + ulid.Make().String()
	}
	r := &runtime{caller: caller, onEvent: o.OnEvent, record: &engine.Record{
		ID: o.ID, Graph: plan.Name, Principal: o.Principal,
		Arguments: arguments, Plan: plan, Started: time.Now(), Status: engine.Succeeded,
	}}
	result, err := plan.Run(ctx, r, arguments, &o.RunOptions)
	rec := r.record
	rec.Ended, rec.Result = time.Now(), result
	if err == nil {
		return rec
	}
	rec.Status = engine.Failed
	if errors.Is(err, context.Canceled) {
		rec.Status = engine.Cancelled
	}
	fault, ok := errors.AsType[*diag.Fault](err)
	if !ok {
		fault = &diag.Fault{Code: "run-failed", Message: err.Error(), Err: err}
	}
	rec.Fault = fault
	return rec
}

// runtime is the world of one run.
type runtime struct {
	caller  engine.Caller
	onEvent func(engine.Event)

	mu     sync.Mutex
	record *engine.Record
	ended  int // executions so far
}

func (r *runtime) Now() time.Time { return time.Now() }

func (r *runtime) Call(ctx context.Context, c engine.Call) (*engine.Result, error) {
	if r.caller == nil {
		return nil, diag.Faultf("no-servers", "no downstream server is connected, so %s/%s cannot be called", c.Server, c.Tool)
	}
	return r.caller.CallTool(ctx, c)
}

func (r *runtime) Record(e engine.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.record.Steps) <= e.Index { // branches take their indices before they get here
		r.record.Steps = append(r.record.Steps, engine.StepRecord{Index: len(r.record.Steps)})
	}
	step := &r.record.Steps[e.Index]
	if !e.Ended {
		step.Node, step.Type, step.Key, step.Part, step.Started = e.Node, e.Type, e.Key, e.Part, e.At
	} else {
		r.ended++
		step.Ended = r.ended
		step.Duration, step.Input, step.Output, step.Simulated = e.At.Sub(step.Started), e.Input, e.Output, e.Simulated
		step.Caught, step.Attempts = e.Caught, e.Attempts
		if e.Err != nil {
			step.Fault, _ = errors.AsType[*diag.Fault](e.Err)
		}
	}
	if r.onEvent != nil {
		r.onEvent(e)
	}
}

func (r *runtime) Sleep(ctx context.Context, _ string, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
