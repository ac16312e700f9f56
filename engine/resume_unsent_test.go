package engine_test

import (
	"context"
	"testing"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// stopping is a journal that stops the run while the intent to call is written.
type stopping struct {
	run.Forget
	stop func()
}

func (s *stopping) Intend(_ string, in run.Intent, _ bool) error {
	if in.Outcome == nil {
		s.stop()
	}
	return nil
}

// A run that is stopped before its call has left makes it when it is resumed, without a
// decision.
func TestResumeBeforeACallHasLeft(t *testing.T) {
	server := &counted{}
	plan := compile(t, `
nodes:
  - {id: entry, type: entry, next: call}
  - {id: call, type: mcp, server: s, tool: charge, args: {}, next: exit}
  - {id: exit, type: exit}
`, engine.Env{})
	ctx, stop := context.WithCancelCause(t.Context())
	rec := local.Run(ctx, plan, server, nil, local.Options{Journal: &stopping{stop: func() { stop(diag.Faultf(run.ShuttingDown, "it ends")) }}})
	if rec.Status != run.Interrupted || server.calls["charge"] != 0 {
		t.Fatalf("%s %v after %d calls", rec.Status, rec.Fault, server.calls["charge"])
	}
	rec = local.Resume(t.Context(), plan, server, rec, local.Options{})
	if rec.Status != run.Succeeded || server.calls["charge"] != 1 {
		t.Errorf("%s %v after %d calls", rec.Status, rec.Fault, server.calls["charge"])
	}
}
