// Package local runs plans in this process: it is the [engine.Runtime] of a
// server and of the command line. It knows the clock and the downstream caller,
// and keeps the record of each run.
package local

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
)

// Options of one run.
type Options struct {
	engine.RunOptions
	Principal string
	OnEvent   func(engine.Event) // called in the order of the run; may be nil
}

// Run executes a plan on the arguments of a call, a JSON object, and returns its
// record. It never fails: what went wrong is in the record's Status and Fault.
func Run(ctx context.Context, plan *engine.Plan, caller engine.Caller, arguments json.RawMessage, o Options) *engine.Record {
	r := &runtime{caller: caller, onEvent: o.OnEvent, record: &engine.Record{
		ID: "run_" + ulid.Make().String(), Graph: plan.Name, Principal: o.Principal,
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
	record  *engine.Record
}

func (r *runtime) Now() time.Time { return time.Now() }

func (r *runtime) Call(ctx context.Context, c engine.Call) (*engine.Result, error) {
	if r.caller == nil {
		return nil, diag.Faultf("no-servers", "no downstream server is connected, so %s/%s cannot be called", c.Server, c.Tool)
	}
	return r.caller.CallTool(ctx, c)
}

func (r *runtime) Record(e engine.Event) {
	if !e.Ended {
		r.record.Steps = append(r.record.Steps, engine.StepRecord{Index: e.Index, Node: e.Node, Type: e.Type, Key: e.Key, Started: e.At})
	} else {
		step := &r.record.Steps[e.Index]
		step.Duration, step.Input, step.Output, step.Simulated = e.At.Sub(step.Started), e.Input, e.Output, e.Simulated
		if e.Err != nil {
			step.Fault, _ = errors.AsType[*diag.Fault](e.Err)
		}
	}
	if r.onEvent != nil {
		r.onEvent(e)
	}
}
