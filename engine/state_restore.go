package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
	"github.com/patchbay-mcp/patchbay/run"
)

// restore is the outcome of an execution that an earlier attempt at the run has
// completed.
func (s *State) restore(ctx context.Context, n *planNode, e *run.Event) (out Outcome, err error) {
	out = Outcome{Input: e.Input, Output: e.Output, Next: NoNode}
	s.run.restore(e.Output)
	if err := s.sameCall(ctx, n, e); err != nil {
		return out, s.fault(ctx, n, err)
	}
	switch {
	case e.Caught:
		out.Caught = run.AsFault(e.Err)
		for _, edge := range n.edges {
			if edge.Label == onErrorLabel {
				out.Next = edge.To
			}
		}
		return out, nil
	case e.Err != nil:
		return out, e.Err
	case n.restore != nil && e.Simulated == "":
		if err := n.restore(ctx, s); err != nil {
			return out, s.fault(ctx, n, err)
		}
	}
	if out.Next, err = n.after(e.Output); err == nil {
		err = s.checkEnd(n, e.Output)
	}
	if err != nil { // it was given an output with which the run cannot continue
		err = s.fault(ctx, n, err)
		e.Err, e.Output = err, nil
		if kept := s.rt.Record(ctx, e); kept != nil {
			err = s.fault(ctx, n, kept)
		}
	}
	return out, err
}

// sameCall reports as a fault that the run would now make another call at a step than
// the one that is recorded.
func (s *State) sameCall(ctx context.Context, n *planNode, e *run.Event) error {
	if n.call == nil || e.Call == "" || e.Simulated != "" {
		return nil
	}
	s.freeze()
	c, _, err := n.call(ctx, s)
	if err != nil || s.rt.Identify(&c) == e.Call {
		return nil //nolint:nilerr // what was recorded is used
	}
	f := diag.Faultf(run.Diverged, "the run called a tool at %s, but would now call %s/%s there, or use other arguments", e.Key, c.Server, c.Tool)
	was := run.Called{Step: e.Key, ID: e.Call}
	if args, err := expr.Encode(e.Input); err == nil {
		was.Arguments = json.RawMessage(diag.CutJSON(args, 200))
	}
	f.Got, f.Want, f.Details = json.RawMessage(diag.CutJSON(c.Args, 200)), was.Arguments, was
	f.Hint = "no call was made; " + fmt.Sprintf("resume_run {\"decision\": \"retry\", \"step\": %q}", e.Key) + " makes the new call; skip or pin makes none, and replaces the output of the step"
	return f
}
