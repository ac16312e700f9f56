package app

import (
	"context"
	"fmt"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/runs"
	"github.com/patchbay-mcp/patchbay/run"
)

type waitKey struct{}

// WithWait says how long the caller of an operation waits for the run that it starts
// or resumes. A run that takes longer continues, and the result has the status running.
// Without a wait, an operation returns when the run has stopped.
func WithWait(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, waitKey{}, d)
}

// client is who starts or resumes a run.
func client(ctx context.Context, onEvent func(run.Event)) runs.Client {
	wait, _ := ctx.Value(waitKey{}).(time.Duration)
	return runs.Client{Wait: wait, OnEvent: onEvent}
}

// stillRunning says what can be done about a run that continues after the reply.
func stillRunning(rec *run.Record) string {
	if rec.Status != run.Running {
		return ""
	}
	return fmt.Sprintf(`the run continues; get_run {"run_id": %q} returns its result when it has stopped, cancel_run cancels it`, rec.ID)
}
