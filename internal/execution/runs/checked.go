package runs

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/run"
)

// checkedCaller makes no call of a run before what its plan calls was found to be what the
// plan was checked against.
type checkedCaller struct {
	next  run.Caller
	check func(ctx context.Context, key string) *diag.Fault

	turn  chan struct{} // holds a token while a call checks
	done  bool          // guarded by turn, as is fault
	fault *diag.Fault
}

// checked returns the caller of a run of a plan.
func (l *Local) checked(plan *engine.Plan, caller run.Caller, mode string) run.Caller {
	if l.o.AsChecked == nil || caller == nil || mode == run.DryRun {
		return caller
	}
	check := l.o.AsChecked(plan)
	if check == nil {
		return caller
	}
	return &checkedCaller{next: caller, turn: make(chan struct{}, 1), check: check}
}

// CallTool implements [run.Caller].
func (c *checkedCaller) CallTool(ctx context.Context, call run.Call) (*run.Result, error) {
	if err := c.ready(ctx, call.Key); err != nil {
		return nil, &run.CallError{Outcome: run.CallNotSent, Err: err}
	}
	return c.next.CallTool(ctx, call)
}

func (c *checkedCaller) ready(ctx context.Context, key string) error {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-c.turn }()
	if c.done {
		return asError(c.fault)
	}
	fault := c.check(ctx, key)
	if err := ctx.Err(); err != nil {
		return err
	}
	c.done = fault == nil || fault.Code == diag.CodeToolChanged || fault.Code == diag.CodeUnknownTool // the others may pass
	c.fault = fault
	return asError(fault)
}

// asError is a fault as an error, nil without one.
func asError(f *diag.Fault) error {
	if f == nil {
		return nil
	}
	return f
}
