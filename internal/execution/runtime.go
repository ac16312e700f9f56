package execution

import (
	"context"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
)

// A Role says what a worker does.
type Role = runs.Role

// Work executes the runs of others as a worker of the runtime, until ctx ends. The App has
// one.
func (ex *Execution) Work(ctx context.Context, r runs.Role) error {
	return ex.Runner.(runs.Remote).Work(ctx, r)
}

// ExamineRuntime says how the runtime stands, for doctor; nothing where runs execute in
// this process.
func (ex *Execution) ExamineRuntime(ctx context.Context) []runs.Finding {
	if remote, ok := ex.Runner.(runs.Remote); ok {
		return remote.Examine(ctx)
	}
	return nil
}
