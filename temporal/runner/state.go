package runner

import (
	"context"
	"errors"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/states"
)

// StateOf returns the store of the state of graphs.
func (o *Options) StateOf(c client.Client) *states.Store {
	s := &states.Store{Client: c, Namespace: o.Temporal.Namespace, Queue: o.Temporal.TaskQueue, Most: states.MaxBytes, Task: o.TaskTimeout}
	if len(o.Storage.Drivers) > 0 {
		s.Most = states.MaxBytesBlobs
	}
	return s
}

// States implements [runs.Runner].
func (r *Runner) States(project, graph string) ([]run.StateEntry, *diag.Fault) {
	list, err := r.state.States(context.Background(), project, graph)
	if err != nil {
		return nil, r.stateFault(err)
	}
	return list, nil
}

// DeleteState implements [runs.Runner].
func (r *Runner) DeleteState(project, graph, key string) (int, *diag.Fault) {
	deleted, err := r.state.Delete(context.Background(), project, graph, key)
	if err != nil {
		return 0, r.stateFault(err)
	}
	return deleted, nil
}

// stateFault says why a state cannot be read: a worker has to say it.
func (r *Runner) stateFault(err error) *diag.Fault {
	_, failed := errors.AsType[*serviceerror.QueryFailed](err)
	_, lost := errors.AsType[*serviceerror.Canceled](err)
	_, late := errors.AsType[*serviceerror.DeadlineExceeded](err)
	if !failed && !lost && !late && !errors.Is(err, context.DeadlineExceeded) {
		return r.fault("", err)
	}
	f := diag.Faultf(runs.CodeNoWorker, "no worker of the task queue %q says what is stored: %w", r.t.TaskQueue, err)
	f.Hint = "the state is kept, and can be read when there is a worker: patchbay-temporal worker"
	return f
}
