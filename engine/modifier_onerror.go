package engine

import (
	"cmp"
	"context"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/graph"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/types"
)

// onErrorModifier leads to another node when the node fails.
var onErrorModifier = &Modifier{
	Field: Field{Name: onErrorLabel, Type: "node-id", Edges: true, Doc: "id of the node that follows when this one fails; its output is then {error: {code, message, node, attempts, details}}", Aliases: strings.Fields("onFailure catch errorNext error failure errorTarget rescue")},
	Guide: GuideRow{Fields: "onError: id", Output: "the node to continue at if this one fails; its output is then {error: {code, message, node, attempts, details}}"},
	Compile: func(p *Pass, n *Node, v graph.Value) Around {
		if v.Is(graph.Null) {
			return nil
		}
		to := p.Target(n, v)
		if to == n.Index {
			p.Report(ruleOnErrorSelf, v, n, "when %q fails, it runs again without end", n.ID).Hint = "to try again, use retry: {maxAttempts: 3}"
		}
		return func(c Compiled) Compiled {
			c.Edges = append(c.Edges, Edge{Label: onErrorLabel, To: to, At: v})
			c.Step = onError(n.ID, c.Step, to)
			if infer := c.Infer; infer != nil {
				c.Infer = func(t *Types) types.Type { return t.caught(infer(t)) }
			}
			return c
		}
	},
}

// onErrorLabel is the label of the edge that is followed when a node fails.
const onErrorLabel = "onError"

var ruleOnErrorSelf = diag.Define("on-error-to-itself", diag.Warning,
	"onError leads back to the node that failed, which would fail again until the run reaches its limits.")

// onError continues at a node when a step fails. What ends the run as a whole is
// not caught.
func onError(id string, step Step, to NodeIndex) Step {
	return func(ctx context.Context, s *State) (Outcome, error) {
		out, err := step(ctx, s)
		if err == nil || !catchable(ctx, err) {
			return out, err
		}
		f := *run.AsFault(err)
		f.Node = cmp.Or(f.Node, id)
		return Outcome{Input: out.Input, Output: s.errorOutput(&f), Next: to, Caught: &f}, nil
	}
}

// catchable reports whether a run may continue after an error.
func catchable(ctx context.Context, err error) bool {
	switch diag.EffectOf(run.AsFault(err).Code) {
	case diag.EndsRun, diag.ParksRun:
		return false
	}
	return context.Cause(ctx) == nil
}

// errorOutput is the output of a node, or the result of an item, that failed.
func (s *State) errorOutput(f *diag.Fault) expr.Value {
	e := expr.NewObject()
	e.Set("code", f.Code)
	e.Set("message", f.Message)
	e.Set("node", f.Node)
	e.Set("attempts", float64(max(1, s.step.Attempts)))
	if f.Details != nil {
		e.Set("details", f.Details)
	}
	out := expr.NewObject()
	out.Set("error", e)
	return out
}

var errorShape = types.ObjectOf(true, types.Field{Name: "error", Type: types.ObjectOf(true,
	types.Field{Name: "code", Type: types.Of(types.String)},
	types.Field{Name: "message", Type: types.Of(types.String)},
	types.Field{Name: "node", Type: types.Of(types.String)},
	types.Field{Name: "attempts", Type: types.Of(types.Number)},
	types.Field{Name: "details", Type: types.Unknown(), Optional: true},
)})
