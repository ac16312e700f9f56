package walk

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/proto"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/blobs"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// Values that leave a workflow are stored before the SDK does it: if that cannot be done,
// the workflow learns it and continues in another way, and its task is not repeated.

// How long a run waits before it tries again to store its record.
const (
	firstStore = time.Minute
	lastStore  = time.Hour
)

// longestStore is how long storing one value may take.
const longestStore = 5 * time.Minute

// keep stores a value that is too large for the history, by a local activity. It returns
// how large the value is there, or why it cannot be sent.
func (s *session) keep(ctx context.Context, what string, v any) (size int, fault *diag.Fault) {
	p, err := s.w.o.converter().ToPayload(v)
	if err != nil {
		return 0, diag.Faultf(runs.CodeValueNotStored, "%s: the value cannot be written: %w", what, err)
	}
	if size = proto.Size(p); size < blobs.Threshold {
		return size, nil
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(p)
	if err != nil {
		return 0, diag.Faultf(runs.CodeValueNotStored, "%s: the value cannot be written: %w", what, err)
	}
	s.world.acts += eventsOfMarker
	future := workflow.ExecuteLocalActivity(workflow.WithLocalActivityOptions(coroutine(ctx), workflow.LocalActivityOptions{
		StartToCloseTimeout: longestStore, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	}), s.w.store, what, b)
	s.world.wait(context.WithoutCancel(ctx), future.IsReady)
	var reply wire.Fault
	if err := future.Get(coroutine(ctx), &reply); err != nil {
		return 0, diag.Faultf(runs.CodeValueNotStored, "%s: the value of %s cannot be stored: %w", what, diag.Bytes(int64(size)), err)
	}
	return sizeOfReference, reply.Diag()
}

// sizeOfReference is about what a history has of a value that is stored elsewhere.
const sizeOfReference = 500

// store is the local activity that stores a payload.
func (w *Walker) store(ctx context.Context, what string, b []byte) (wire.Fault, error) {
	var p commonpb.Payload
	if err := proto.Unmarshal(b, &p); err != nil {
		return wire.Fault{}, err
	}
	return wire.Fault{Fault: blobs.Keep(ctx, w.o.Blobs, what, &p)}, nil
}

// secure returns when a message with the record of the run can be sent. While it cannot be
// stored, the run is shown as interrupted, and storing is tried again. It returns false if
// the run is cancelled meanwhile.
func (s *session) secure(life workflow.Context, message any) bool {
	status, fault, ended := s.rec.Status, s.rec.Fault, s.rec.Ended
	for delay := firstStore; ; delay = min(2*delay, lastStore) {
		_, refused := s.keep(on(context.Background(), life), "the record of the run", message)
		if refused == nil {
			return true
		}
		refused.Hint = "the run continues by itself when runtime.temporal.blobs works: patchbay-temporal doctor writes and reads a value there"
		s.park(refused)
		s.tell(life)
		cancelled, _ := workflow.AwaitWithTimeout(life, delay, func() bool { return s.cancelled != nil }) // the life of a run is not cancelled
		s.rec.Status, s.rec.Fault, s.rec.Ended = status, fault, ended
		if cancelled {
			return false
		}
	}
}

// outcome is what the workflow returns. If somebody cancels a run whose record cannot be
// stored, its large values are dropped.
func (s *session) outcome(life workflow.Context) *wire.Outcome {
	s.cancelled = nil
	out := &wire.Outcome{Status: s.status(), Record: s.in.Record}
	if s.secure(life, out) {
		return out
	}
	s.endCancelled()
	s.rec.Result = nil
	for _, step := range s.rec.Steps {
		step.Input, step.Output = small(step.Input), small(step.Output)
	}
	for i := range s.rec.Intents {
		if in := &s.rec.Intents[i]; len(in.Outcome) > smallValue {
			in.Outcome = nil
		}
	}
	return &wire.Outcome{Status: s.status(), Record: s.in.Record}
}

// smallValue is how many bytes a value has that is not dropped.
const smallValue = 256

func small(v expr.Value) expr.Value {
	if v == nil || expr.Size(v, smallValue) > smallValue {
		return nil
	}
	return v
}

// keepReply stores the reply of a call, if it is too large for a history. If that cannot
// be done, the reply says so.
func (c *Calls) keepReply(ctx context.Context, r *wire.CallRequest, reply wire.CallReply) wire.CallReply {
	fault := c.keep(ctx, "the result of "+r.Key, reply)
	switch {
	case fault == nil:
		return reply
	case reply.Fault.Diag() == nil:
		return wire.ReplyOf(nil, &run.CallError{Outcome: run.CallCompleted, Err: fault})
	}
	brief := *reply.Fault.Fault
	brief.Got, brief.Want, brief.Details = nil, nil, nil
	reply.Fault = wire.FaultOf(&brief)
	return reply
}

func (c *Calls) keep(ctx context.Context, what string, v any) *diag.Fault {
	p, err := orDefault(c.Converter).ToPayload(v)
	if err != nil {
		return diag.Faultf(runs.CodeValueNotStored, "%s: the value cannot be written: %w", what, err)
	}
	return blobs.Keep(ctx, c.Blobs, what, p)
}

func (o *Options) converter() converter.DataConverter { return orDefault(o.Converter) }

func orDefault(c converter.DataConverter) converter.DataConverter {
	if c == nil {
		return converter.GetDefaultDataConverter()
	}
	return c
}
