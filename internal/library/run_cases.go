package library

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/reply"
)

// runToSave runs the cases of a save, if it has any, and returns the reply that refuses
// it if they do not pass. Those that say what must come of them become tests.
func (lib *Library) runToSave(ctx context.Context, in SaveInput) (*SaveResult, *diag.Fault) {
	if len(in.Cases) == 0 {
		return nil, nil
	}
	for i := range in.Cases {
		in.Cases[i].Keep = in.Cases[i].Keep || in.Cases[i].Stated()
	}
	r, fault := lib.execution.Run(ctx, execution.RunInput{GraphInput: in.GraphInput, Cases: in.Cases})
	if fault != nil || !r.Failed() {
		return nil, fault
	}
	return &SaveResult{Status: reply.StatusRejected, Error: r.Error, Cases: r.Cases}, nil
}
