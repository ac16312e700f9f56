package execution

import (
	"encoding/json"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/internal/reply"
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

var CodeNotPaused = diag.DefineFault("not-paused", diag.RefusesRequest, "the run is not paused there (any more), or nobody debugs it", "`debug_list` shows what is paused")

// A PausedStep is a step before which a run is paused.
type PausedStep struct {
	Step     string       `json:"step"` // key
	Node     string       `json:"node"`
	NodeType string       `json:"node_type"`
	Why      string       `json:"why"`     // breakpoint or step
	At       string       `json:"at"`      // RFC 3339
	Context  []PausedNode `json:"context"` // what its expressions see
}

// A PausedNode is an output that the expressions of a paused step see.
type PausedNode struct {
	Node   string          `json:"node"`
	Output json.RawMessage `json:"output"`
	Size   int             `json:"size,omitempty"` // in bytes, where the output is cut to text
}

const (
	maxPausedOutput  = 2 << 10  // bytes of an output of a paused run
	maxPausedContext = 16 << 10 // of all outputs of a step
)

// pausedSteps shows pauses, without those that have ended meanwhile.
func pausedSteps(list []*run.Pause) (shown []PausedStep) {
	for _, p := range list {
		if nodes := PausedContext(p); nodes != nil {
			shown = append(shown, PausedStep{p.Key, p.Node, p.NodeType, p.Why, p.At.UTC().Format(time.RFC3339Nano), nodes})
		}
	}
	return shown
}

// PausedContext returns the outputs that the expressions of a paused step see, in the order
// of the context; nil if the run has continued.
func PausedContext(p *run.Pause) (list []PausedNode) {
	p.Look(func(s *expr.Scope) {
		list = []PausedNode{}
		nodes, ok := s.Context().(expr.Object)
		if !ok {
			return
		}
		budget := maxPausedContext
		for id, v := range nodes.All() {
			n := PausedNode{Node: id}
			n.Output, n.Size = reply.Excerpt(v, maxPausedOutput, &budget)
			list = append(list, n)
		}
	})
	return list
}
