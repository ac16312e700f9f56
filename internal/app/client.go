package app

import (
	"context"

	"github.com/patchbay-mcp/patchbay/internal/runs"
	"github.com/patchbay-mcp/patchbay/run"
)

// A Client is who waits for a run.
type Client = runs.Client

// A Disconnect says what happens to a run when the session of its client ends.
type Disconnect = runs.Disconnect

type clientKey struct{}

// WithClient says who waits for the runs that operations start or resume. A run that
// takes longer than the client waits continues, and the result has the status running.
// Without a client, an operation returns when the run has stopped.
func WithClient(ctx context.Context, c Client) context.Context {
	return context.WithValue(ctx, clientKey{}, c)
}

// starts are how a run of the actor's is started for a client.
func starts(ctx context.Context, c Client) runs.StartOptions {
	who := actor(ctx)
	return runs.StartOptions{Options: run.Options{Operator: who.Operator}, Principal: who.Principal, Client: c}
}

// client is who waits for a run. The events are heard by onEvent, or if it is nil by
// the listener.
func client(ctx context.Context, onEvent func(run.Event)) Client {
	c, _ := ctx.Value(clientKey{}).(Client)
	if c.OnEvent = onEvent; onEvent == nil {
		c.OnEvent = listener(ctx).OnEvent
	}
	return c
}
