package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
)

// longest bounds every duration that a document gives, in milliseconds: a year.
const longest = 365 * 24 * 3600 * 1000

// timeout bounds one attempt of a node.
type timeout struct{ after time.Duration }

func (p *Pass) timeout(n *Node) *timeout {
	v := n.Field("timeoutMs")
	if !v.Exists() {
		return nil
	}
	return &timeout{time.Duration(p.whole(n, v, "timeoutMs", longest, 1, longest)) * time.Millisecond}
}

func (t *timeout) around(step Step) Step {
	return func(ctx context.Context, s *State) (Outcome, error) {
		late := &diag.Fault{
			Code: "attempt-timeout", Message: fmt.Sprintf("stopped after %s, the node's timeoutMs", t.after),
			Hint: "raise timeoutMs, or do less in one node",
		}
		bounded, cancel := context.WithTimeoutCause(ctx, t.after, late)
		defer cancel()
		out, err := step(bounded, s)
		if err != nil && context.Cause(ctx) == nil && context.Cause(bounded) != nil {
			err = late
		}
		return out, err
	}
}
