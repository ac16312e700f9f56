// Package walk executes runs as workflows of Temporal. The walker and the rules of the
// runtime are those of a run in one process, package engine/local: only its world is
// another one. The clock is the workflow's, waits are timers, what happens at the same
// time are coroutines, and calls and changes of state are activities.
//
// It knows workflow and activity workers. Who starts runs sends what package wire says.
package walk

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/sys/cache"
	"github.com/patchbay-mcp/patchbay/temporal/blobs"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// Times of workers.
const (
	// DeadlockTimeout is how long a workflow may compute without a wait, after which the SDK
	// fails its task. It is above TaskTimeout, which ends the task before.
	DeadlockTimeout = 60 * time.Second
	// TaskTimeout is how long a workflow task may take, and after which another worker takes
	// over from one that was killed meanwhile: the option WorkflowTaskTimeout of who starts a
	// run. What a task computes is counted, and takes about a second on a quiet machine.
	TaskTimeout = 13 * time.Second
	// Heartbeat is after which silence of its worker a call is given up.
	Heartbeat = 10 * time.Second
)

// MaxEvents is how many events of history a run makes before it continues as a new
// execution, with its record. Calls in progress end before, so that it is fewer than the
// 4,096 after which a history becomes slow.
const MaxEvents = 3000

// Options say how workflows execute runs.
type Options struct {
	// Kinds are the node types; nil means the built-in ones.
	Kinds *engine.KindSet
	// Mask is that of local.Options.
	Mask func([]byte) []byte
	// Converter is that of the client; nil is the SDK's.
	Converter converter.DataConverter
	// Blobs keeps values that are too large for a history; nil keeps none.
	Blobs blobs.Store
	// MaxEvents is how many events a run makes before it continues as a new execution; 0
	// means the constant of that name.
	MaxEvents int
}

// A Walker is the workflow that executes runs.
type Walker struct {
	o     Options
	plans *cache.Cache[string, *engine.Plan]
}

// New returns a walker.
func New(o *Options) *Walker {
	w := &Walker{plans: cache.Texts[*engine.Plan](200, 16<<20)}
	if o != nil {
		w.o = *o
	}
	if w.o.MaxEvents == 0 {
		w.o.MaxEvents = MaxEvents
	}
	return w
}

// WorkerOptions returns options of a worker with the times that runs need.
func WorkerOptions() worker.Options {
	return worker.Options{DeadlockDetectionTimeout: DeadlockTimeout}
}

// Register makes a worker execute the workflows of runs.
func (w *Walker) Register(r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(w.Run, workflow.RegisterOptions{Name: wire.Workflow})
}

// Register makes a worker execute the calls of runs, and their changes of state.
func (c *Calls) Register(r worker.ActivityRegistry) {
	r.RegisterActivityWithOptions(c.Call, activity.RegisterOptions{Name: wire.Call})
	r.RegisterActivityWithOptions(c.ChangeState, activity.RegisterOptions{Name: wire.State})
}

// plan compiles what a run runs. It depends on nothing but the input, and so gives the same
// in every replay.
func (w *Walker) plan(in *wire.Input) (*engine.Plan, *diag.Fault) {
	key, err := json.Marshal(struct {
		Source any
		Pinned *wire.Pinned
	}{in.Record.Source, &in.Pinned})
	if err != nil {
		return nil, diag.Faultf(diag.CodeGraphChanged, "the graph of the run cannot be read: %w", err)
	}
	sum := sha256.Sum256(key)
	if plan, known := w.plans.Get(string(sum[:])); known {
		return plan, nil
	}
	plan, fault := in.Pinned.Compile(in.Record.Source, w.o.Kinds)
	if fault == nil {
		w.plans.Add(string(sum[:]), plan)
	}
	return plan, fault
}

type coroutineKey struct{}

// on returns a context of what executes on a coroutine of a workflow.
func on(ctx context.Context, c workflow.Context) context.Context {
	return context.WithValue(ctx, coroutineKey{}, c)
}

// coroutine returns what executes a context of a run: every one has it.
func coroutine(ctx context.Context) workflow.Context {
	return ctx.Value(coroutineKey{}).(workflow.Context)
}
