package downstream

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/servers/transport"
	"github.com/patchbay-mcp/patchbay/run"
)

// TestWhoLeavesIsNotHeldUp cancels a call of a server whose process lives: how it ended
// is not waited for.
func TestWhoLeavesIsNotHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &session{supervisor: &supervisor{hub: &Hub{}, redact: func(s string) string { return s }}, over: make(chan struct{}), child: &process{exited: make(chan struct{})}, pipe: &transport.Stdio{}}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		fault, outcome := s.failure(ctx, "tool", context.Canceled, true, 0)
		if fault == nil || outcome != run.CallUnknown || time.Since(began) > 0 {
			t.Errorf("%v, outcome %v after %v", fault, outcome, time.Since(began))
		}
	})
}
