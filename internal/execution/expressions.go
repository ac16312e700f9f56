package execution

import (
	"context"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/run"
)

// showExpressions adds to a step what its expressions read and came to. The input of
// a step that was given nothing is what they read. A graph that is no longer valid
// leaves the step as it is.
func (rs *Records) showExpressions(ctx context.Context, rec *run.Record, at int, shown *reply.TraceStep) {
	plan, fault := rs.execution.RunPlans.Alone(ctx, rec.Source)
	if fault != nil {
		return
	}
	budget := reply.MaxTraceBytes
	input := expr.NewObject()
	for _, e := range plan.Evaluations(ctx, rec, at) {
		x := reply.ShownExpression{Graph: e.Graph, Path: e.Path, Line: e.Line, Text: e.Text}
		for _, read := range e.Reads {
			input.Set(read.Text, orNull(read.Value))
			if x.Reads == nil {
				x.Reads = map[string]json.RawMessage{}
			}
			x.Reads[read.Text], _ = reply.Excerpt(orNull(read.Value), reply.MaxStepBytes, &budget)
		}
		if e.Err != nil {
			x.Error = e.Err.Error()
		} else {
			x.Value, _ = reply.Excerpt(e.Value, reply.MaxStepBytes, &budget)
		}
		shown.Expressions = append(shown.Expressions, x)
	}
	if len(shown.Input) == 0 && len(input.Keys()) > 0 {
		shown.Input, _ = reply.Excerpt(input, MaxValueBytes, &budget)
	}
}

func orNull(v expr.Value) expr.Value {
	if v == nil {
		return expr.Null()
	}
	return v
}
