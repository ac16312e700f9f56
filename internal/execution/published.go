package execution

import (
	"context"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/run"
)

// CallGraph runs a published graph as the tool it is.
func (ex *Execution) CallGraph(ctx context.Context, name string, arguments json.RawMessage) (*RunResult, *diag.Fault) {
	return ex.start(ctx, name, arguments, "", true)
}

// ToolReply is the reply of a published graph: its result as structured content,
// or why there is none.
func (r *RunResult) ToolReply() (json.RawMessage, *diag.Fault) {
	switch {
	case r.Error != nil && r.Hint != "":
		f := *r.Error
		f.Hint = diag.JoinHints(f.Hint, r.Hint)
		return nil, &f
	case r.Error != nil:
		return nil, r.Error
	case r.Status == string(run.Running):
		return nil, diag.Faultf(plans.StillRunning, "the run %s is still in progress after %.0f ms", r.RunID, r.DurationMs).WithHint(r.Hint)
	}
	return engine.Wrap(r.Result), nil
}
