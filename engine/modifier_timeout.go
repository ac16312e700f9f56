package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/patchbay-mcp/patchbay/run"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/graph"
)

// longest bounds every duration that a document gives, in milliseconds: a year.
const longest = 365 * 24 * 3600 * 1000

// timeoutModifier bounds the time of one attempt of a node.
var timeoutModifier = &Modifier{
	Field: Field{Name: "timeoutMs", Type: "number", Doc: "milliseconds one attempt may take", Aliases: []string{"timeout", "timeoutMillis", "deadline"}},
	Guide: GuideRow{Fields: "timeoutMs: n", Output: "bound of one attempt"},
	Compile: func(p *Pass, n *Node, v graph.Value) Around {
		limit := time.Duration(p.whole(n, v, "timeoutMs", longest, 1, longest)) * time.Millisecond
		return func(c Compiled) Compiled {
			c.Step = withTimeout(limit, c.Step)
			return c
		}
	},
}

// withTimeout stops a step after a time.
func withTimeout(limit time.Duration, step Step) Step {
	return func(ctx context.Context, s *State) (Outcome, error) {
		late := &diag.Fault{
			Code: run.CodeAttemptTimeout, Message: fmt.Sprintf("stopped after %s, the node's timeoutMs", limit),
			Hint: "raise timeoutMs, or do less in the node", Err: context.DeadlineExceeded,
		}
		bounded, cancel := s.rt.Deadline(ctx, limit, late)
		defer cancel()
		out, err := step(bounded, s)
		if err != nil && context.Cause(ctx) == nil && context.Cause(bounded) != nil {
			err = late
		}
		return out, err
	}
}
