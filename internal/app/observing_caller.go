package app

import (
	"context"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/observed"
	"github.com/patchbay-mcp/patchbay/run"
)

// observingCaller is a caller that learns from the results of tools without an output
// schema.
type observingCaller struct {
	next run.Caller
	from *observed.Store
	snap *catalog.Snapshot
}

func (o *observingCaller) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	res, err := o.next.CallTool(ctx, c)
	if err != nil || c.RawOnly || res.IsError || res.Simulated != "" {
		return res, err
	}
	spec := o.snap.Tool(c.Server, c.Tool)
	if spec == nil || len(spec.OutputSchema) > 0 || !o.from.Wants(spec, res) {
		return res, nil
	}
	if output, unreadable := engine.Unwrap(res); unreadable == nil && output != nil {
		o.from.Add(spec, output)
	}
	return res, nil
}
