package main

import (
	"context"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/worker"

	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/blobs"
	"github.com/patchbay-mcp/patchbay/temporal/states"
	"github.com/patchbay-mcp/patchbay/temporal/walk"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// worked is what workers have besides the client.
type worked struct {
	store     blobs.Store
	converter converter.DataConverter
}

// work executes runs as a worker until ctx ends.
func (of worked) work(ctx context.Context, c client.Client, t config.Temporal, o runs.Options, r runs.Role, state *states.Store) error {
	var workers []worker.Worker
	if r.Walk {
		options := walk.WorkerOptions()
		options.DeploymentOptions = deploymentOf(t.Deployment)
		w := worker.New(c, t.TaskQueue, options)
		walk.New(&walk.Options{Kinds: o.Kinds, Mask: o.Mask, Blobs: of.store, Converter: of.converter}).Register(w)
		states.Register(w)
		workers = append(workers, w)
	}
	if r.Call {
		w := worker.New(c, wire.CallQueue(t.TaskQueue), worker.Options{MaxConcurrentActivityExecutionSize: o.MaxRuns, DeploymentOptions: deploymentOf(t.Deployment)})
		calls := &walk.Calls{Client: c, State: state.Change, Blobs: of.store, Converter: of.converter, Caller: func(ctx context.Context, r *wire.CallRequest) run.Caller { return o.Calls(ctx, r.Mode) }}
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
