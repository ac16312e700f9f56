package engine

import "context"

// revisit executes again what a step consists of, for the record of those steps. The
// step itself is as it is recorded, and nothing after it sees what they came to.
func (s *State) revisit(ctx context.Context, n *planNode, step func(context.Context) (Outcome, error)) {
	if n.restore != nil && s.step.Simulated == "" && s.step.Err == nil {
		return // restoring the step executes them
	}
	before := *s
	s.hist = s.hist.Fork()
	s.scope = s.scope.Child(s.hist)
	s.step.Attempts, s.step.Simulated = 0, ""
	s.freeze()
	_, _ = step(ctx)
	*s = before
}
