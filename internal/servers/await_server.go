package servers

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
)

const (
	// How long a run in the background waits for a server that has failed, and is
	// started again. It waits for one that is starting as long as that takes: servers
	// start together with Patchbay.
	failedTimeout = time.Minute

	firstPoll = 50 * time.Millisecond // doubled from one look at a server to the next
	maxPoll   = 5 * time.Second
)

// AwaitServer waits, for a run that was resumed in the background, until a server is
// ready. The fault says that it has failed for a while or cannot be there, or that the
// context has ended. For other runs it does nothing.
func (gw *Gateway) AwaitServer(ctx context.Context, server string) *diag.Fault {
	if gw.Hub == nil || !runs.InBackground(ctx) {
		return nil
	}
	began := time.Now()
	for delay := firstPoll; ; delay = min(2*delay, maxPoll) {
		fault := gw.Hub.Ready(ctx, server)
		starting := fault != nil && fault.Code == diag.CodeServerStarting
		failing := fault != nil && fault.Code == diag.CodeServerFailed && time.Since(began) < failedTimeout
		if !starting && !failing {
			return fault
		}
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return fault
		}
	}
}

// MaxSyncWait is how long a server may take to list its tools.
const MaxSyncWait = 3 * time.Minute
