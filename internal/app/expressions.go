package app

import (
	"context"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// A ShownExpression is an expression or a rule that one execution evaluated: what it
// read, and what it came to. Values beyond 2 kB are cut to text.
type ShownExpression struct {
	Graph string                     `json:"graph,omitempty"` // the saved graph that it is in, called by that of the run
	Path  string                     `json:"path"`            // in the document of the graph
	Line  int                        `json:"line"`
	Text  string                     `json:"text"` // JSONata, or the JSON Logic of a rule
	Reads map[string]json.RawMessage `json:"reads,omitempty"`
	Value json.RawMessage            `json:"value,omitempty"`
	Error string                     `json:"error,omitempty"`
}

// showExpressions adds to a step what its expressions read and came to. The input of
// a step that was given nothing is what they read. A graph that is no longer valid
// leaves the step as it is.
func (a *App) showExpressions(ctx context.Context, rec *run.Record, at int, shown *TraceStep) {
	plan, fault := a.recordedPlan(ctx, rec.Source)
	if fault != nil {
		return
	}
	budget := maxTraceBytes
	input := expr.NewObject()
	for _, e := range plan.Evaluations(ctx, rec, at) {
		x := ShownExpression{Graph: e.Graph, Path: e.Path, Line: e.Line, Text: e.Text}
		for _, read := range e.Reads {
			input.Set(read.Text, orNull(read.Value))
			if x.Reads == nil {
				x.Reads = map[string]json.RawMessage{}
			}
			x.Reads[read.Text], _ = excerpt(orNull(read.Value), maxStepBytes, &budget)
		}
		if e.Err != nil {
			x.Error = e.Err.Error()
		} else {
			x.Value, _ = excerpt(e.Value, maxStepBytes, &budget)
		}
		shown.Expressions = append(shown.Expressions, x)
	}
	if len(shown.Input) == 0 && len(input.Keys()) > 0 {
		shown.Input, _ = excerpt(input, maxValueBytes, &budget)
	}
}

func orNull(v expr.Value) expr.Value {
	if v == nil {
		return expr.Null()
	}
	return v
}
