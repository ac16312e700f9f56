package author

import (
	"context"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/request"
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

// DebugEvaluateInput asks for the value of an expression in a paused run.
type DebugEvaluateInput struct {
	RunID      string          `json:"run_id" jsonschema:"run ID, as debug_run returned it"`
	Step       string          `json:"step,omitempty" jsonschema:"key of the paused step, if there are several; the first by default"`
	Language   string          `json:"language,omitempty" enum:"jsonata,jsonlogic" jsonschema:"jsonata (default) or jsonlogic"`
	Expression json.RawMessage `json:"expression" jsonschema:"JSONata as text, or a JSON Logic rule"`
}

// DebugEvaluate computes an expression on what a node sees before which a run of the caller's
// is paused.
func (au *Author) DebugEvaluate(ctx context.Context, in DebugEvaluateInput) (*EvaluateResult, *diag.Fault) {
	d, fault := au.execution.Find(request.ActorFrom(ctx), in.RunID)
	if fault != nil {
		return nil, fault
	}
	paused, _, _ := d.Paused()
	for _, p := range paused {
		if in.Step == "" || p.Key == in.Step {
			return au.EvaluatePaused(ctx, p, EvaluateInput{Language: in.Language, Expression: in.Expression})
		}
	}
	return nil, execution.NotPaused(in.RunID, in.Step)
}
