package engine

import (
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
)

// tooMany is the fault of a run that would execute more nodes than it may: how far it
// has come, what an iteration costs, and which limit to write.
func (s *State) tooMany(n *planNode) *diag.Fault {
	f := &diag.Fault{
		Code: "too-many-executions", Node: n.id,
		Message: fmt.Sprintf("stopped before node %q after %d node executions, the limit", n.id, s.run.limit),
	}
	looped, times := "", 1
	for id, at := range s.hist.ByID {
		if len(at) > times || len(at) == times && times > 1 && id < looped {
			looped, times = id, len(at)
		}
	}
	next := 10 * s.run.limit
	if looped == "" {
		f.Hint = s.raise(next, "")
		return f
	}
	each := float64(s.run.limit) / float64(times)
	f.Message += fmt.Sprintf("; node %q was executed %d times, at about %.3g node executions an iteration", looped, times, each)
	f.Hint = s.raise(next, fmt.Sprintf(" for %d iterations", int(float64(next)/each)))
	return f
}

// tooManyItems is the fault of a foreach that has more items than node executions are
// left.
func (s *State) tooManyItems(n *planNode, items, left int) *diag.Fault {
	return &diag.Fault{
		Code: "too-many-executions", Node: n.id,
		Message: fmt.Sprintf("%q has %d items, and only %d of the run's %d node executions are left", n.id, items, left, s.run.limit),
		Hint:    s.raise(roundUp(s.run.limit-left+items), ""),
	}
}

// raise says which limit to write, as far as the operator allows it.
func (s *State) raise(limit int, what string) string {
	ceiling := fmt.Sprintf("the operator's ceiling is %d (limits.maxNodeExecutions in patchbay.yaml)", s.run.most)
	if s.run.limit >= s.run.most {
		return "do less in one run; " + ceiling
	}
	if limit > s.run.most {
		limit, what = s.run.most, ""
	}
	return fmt.Sprintf("write executionLimits: {maxNodeExecutions: %d} in the document%s, or let the loop end earlier; %s", limit, what, ceiling)
}

// roundUp returns the next number with one digit and zeros, and at least 1,000, to
// leave some room.
func roundUp(n int) int {
	unit := 1000
	for unit*10 <= n {
		unit *= 10
	}
	return (n/unit + 1) * unit
}
