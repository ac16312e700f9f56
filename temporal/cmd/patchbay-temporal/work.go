package main

import (
	"context"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/runs"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/walk"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// work executes runs as a worker until ctx ends.
func work(ctx context.Context, c client.Client, t config.Temporal, o runs.Options, r runs.Role) error {
	var workers []worker.Worker
	if r.Walk {
		w := worker.New(c, t.TaskQueue, walk.WorkerOptions())
		walk.New(&walk.Options{Kinds: o.Kinds, Mask: o.Mask}).Register(w)
		workers = append(workers, w)
	}
	if r.Call {
		w := worker.New(c, wire.CallQueue(t.TaskQueue), worker.Options{MaxConcurrentActivityExecutionSize: o.MaxRuns})
		calls := &walk.Calls{Client: c, Caller: func(ctx context.Context, r *wire.CallRequest) run.Caller { return o.Calls(ctx, r.Mode) }}
		calls.Register(w)
		workers = append(workers, w)
	}
	started := 0
	defer func() {
		for _, w := range workers[:started] {
			w.Stop()
		}
	}()
	for _, w := range workers {
		if err := w.Start(); err != nil {
			return err
		}
		started++
	}
	<-ctx.Done()
	return nil
}
