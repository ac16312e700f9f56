package request

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/run"
)

type actorKey struct{}

// WithActor says who a call is made for: drafts and runs belong to its principal. A
// call without a named principal is that of the principal "", who is not an operator.
func WithActor(ctx context.Context, a run.Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

func ActorFrom(ctx context.Context) run.Actor {
	a, _ := ctx.Value(actorKey{}).(run.Actor)
	return a
}

// A Client is who waits for a run.
type Client = runs.Client

// A Disconnect says what happens to a run when the session of its client ends.
type Disconnect = runs.Disconnect

type (
	clientKey struct{}
	sinceKey  struct{}
)

// WithClient says who waits for the runs that operations start or resume. A run that
// takes longer than the client waits continues, and the result has the status running.
// Without a client, an operation returns when the run has stopped.
func WithClient(ctx context.Context, c Client) context.Context {
	return context.WithValue(context.WithValue(ctx, clientKey{}, c), sinceKey{}, time.Now())
}

// Peer is the client of an operation, as [WithClient] says.
func Peer(ctx context.Context) Client {
	c, _ := ctx.Value(clientKey{}).(Client)
	return c
}

// Remaining is what is left of the time that a client waits: what its graph waited for
// servers before the run began counts.
func Remaining(ctx context.Context, wait time.Duration) time.Duration {
	since, ok := ctx.Value(sinceKey{}).(time.Time)
	if took := time.Since(since); ok && wait > 0 && took > time.Second {
		return max(wait-took, time.Millisecond)
	}
	return wait
}

// client is who waits for a run. The events are heard by onEvent, or if it is nil by
// the listener.
func ClientFrom(ctx context.Context, onEvent func(run.Event)) Client {
	c := Peer(ctx)
	if c.OnEvent = onEvent; onEvent == nil {
		c.OnEvent = ListenerFrom(ctx).OnEvent
	}
	c.Wait = Remaining(ctx, c.Wait)
	return c
}
