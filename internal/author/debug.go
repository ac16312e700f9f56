package author

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/run"
)

// EvaluatePaused computes an expression on what the expressions of a node see before which a
// run is paused. The fault not-paused says that the run has continued.
func (au *Author) EvaluatePaused(ctx context.Context, p *run.Pause, in EvaluateInput) (r *EvaluateResult, fault *diag.Fault) {
	full := au.process.Compute(ctx, 0, func(ctx context.Context) {
		if !p.Look(func(s *expr.Scope) { r, fault = evaluateOn(ctx, s, in) }) {
			fault = diag.Faultf(execution.CodeNotPaused, "the run is not paused before %s any more", p.Key)
		}
	})
	if full != nil {
		return nil, full
	}
	return r, fault
}
