package local_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// Who listens to one branch of a run holds no other branch up.
func TestAListenerHoldsItsBranchOnly(t *testing.T) {
	plan := planOf(`
nodes:
  - {id: entry, type: entry, next: fork}
  - {id: fork, type: parallel, branches: [left, right], join: exit}
  - {id: left, type: transform, transform: {expr: '1'}, next: exit}
  - {id: right, type: transform, transform: {expr: '2'}, next: exit}
  - {id: exit, type: exit}
`, nil)
	ctx, stop := context.WithTimeoutCause(t.Context(), 5*time.Minute, errors.New("the right branch does not end"))
	defer stop()
	right := make(chan struct{})
	local.Run(ctx, plan, nil, nil, local.Options{Observer: local.Observer{Event: func(e run.Event) {
		switch {
		case e.Node == "right" && e.Ended:
			close(right)
		case e.Node == "left" && !e.Ended:
			select {
			case <-right:
			case <-ctx.Done():
				t.Error(context.Cause(ctx))
			}
		}
	}}})
}
