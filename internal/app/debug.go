package app

import (
	"context"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// checkDebugger refuses to debug cases, and breakpoints on nodes that the graph does not have.
func (in *RunInput) checkDebugger(plan *engine.Plan) *diag.Fault {
	if in.Debugger == nil {
		return nil
	}
	if len(in.Cases) > 0 {
		return diag.BadArgument("/cases", "debug one call: send its arguments", "cases cannot be debugged")
	}
	return checkBreakpoints(plan, in.Debugger.Breakpoints())
}

func checkBreakpoints(plan *engine.Plan, nodes []string) *diag.Fault {
	for _, id := range nodes {
		if f := plan.CheckNode("/breakpoints", id); f != nil {
			return f
		}
	}
	return nil
}

// EvaluatePaused computes an expression on what the expressions of a node see before which a
// run is paused. The fault not-paused says that the run has continued.
func (pb *App) EvaluatePaused(ctx context.Context, p *run.Pause, in EvaluateInput) (r *EvaluateResult, fault *diag.Fault) {
	full := pb.compute(ctx, 0, func(ctx context.Context) {
		if !p.Look(func(s *expr.Scope) { r, fault = evaluateOn(ctx, s, in) }) {
			fault = diag.Faultf("not-paused", "the run is not paused before %s any more", p.Key)
		}
	})
	if full != nil {
		return nil, full
	}
	return r, fault
}

// A PausedNode is an output that the expressions of a paused step see.
type PausedNode struct {
	Node   string
	Output string // JSON, cut
}

// maxPausedOutput is how many bytes of an output are shown of a paused run.
const maxPausedOutput = 400

// PausedContext returns the outputs that the expressions of a paused step see, in the order
// of the context; nil if the run has continued.
func PausedContext(p *run.Pause) (list []PausedNode) {
	p.Look(func(s *expr.Scope) {
		nodes, ok := s.Context().(expr.Object)
		if !ok {
			return
		}
		for _, id := range nodes.Keys() {
			v, _ := nodes.Get(id)
			budget := maxPausedOutput
			b, _ := excerpt(v, maxPausedOutput, &budget)
			list = append(list, PausedNode{id, string(b)})
		}
	})
	return list
}
