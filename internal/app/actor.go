package app

import (
	"context"

	"github.com/patchbay-mcp/patchbay/run"
)

type actorKey struct{}

// WithActor says who a call is made for: drafts and runs belong to its principal. A
// call for which nobody is named is that of the principal "", who is not an operator.
func WithActor(ctx context.Context, a run.Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

func actor(ctx context.Context) run.Actor {
	a, _ := ctx.Value(actorKey{}).(run.Actor)
	return a
}
