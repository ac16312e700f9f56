package request

import (
	"context"

	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/run"
)

// A CallProgress is what a server reports about a call of a run before it replies.
type CallProgress struct {
	Key string // of the call within its run: the step's key and "/call"
	downstream.Progress
}

// A Listener hears of the runs that operations start or resume, from branches and
// runs at the same time, also when the operation has returned and its run continues.
type Listener struct {
	OnEvent    func(run.Event)    // as nodes start and end, unless the input of the operation has its own
	OnProgress func(CallProgress) // as calls make progress
}

type listenerKey struct{}

// WithListener says who hears of runs.
func WithListener(ctx context.Context, l Listener) context.Context {
	return context.WithValue(ctx, listenerKey{}, l)
}

func ListenerFrom(ctx context.Context) Listener {
	l, _ := ctx.Value(listenerKey{}).(Listener)
	return l
}

// Heard passes on the progress of a call to who hears of its run.
func Heard(ctx context.Context, key string) context.Context {
	hear := ListenerFrom(ctx).OnProgress
	if hear == nil {
		return ctx
	}
	return downstream.WithProgress(ctx, func(p downstream.Progress) { hear(CallProgress{key, p}) })
}
