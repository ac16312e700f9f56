package local

import (
	"context"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/sys/timelimit"
)

// A World is what a run executes in: its clock, its timers, and what happens at the same
// time. By default that is this process. A world that replays the run, such as a workflow
// engine, gives it the same times again.
type World interface {
	Now() time.Time
	// Sleep returns after d, or with the context's cause when that ends.
	Sleep(ctx context.Context, d time.Duration) error
	// Deadline returns a context that ends after d, with the cause.
	Deadline(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc)
	// Group returns what calls functions at the same time as its caller, whose context is
	// ctx.
	Group(ctx context.Context) Group
}

// A Group calls functions at the same time.
type Group interface {
	// Go calls f with ctx, or a context that derives from it.
	Go(ctx context.Context, f func(ctx context.Context))
	// Wait returns when all functions have.
	Wait()
}

// process is the world of this process.
type process struct{}

func (process) Now() time.Time { return time.Now() }

func (process) Sleep(ctx context.Context, d time.Duration) error {
	return timelimit.Sleep(ctx, d)
}

// Deadline does not count the time in which calls wait for a person.
func (process) Deadline(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	return timelimit.With(ctx, d, cause)
}

func (process) Group(context.Context) Group { return &goroutines{} }

type goroutines struct{ sync.WaitGroup }

func (g *goroutines) Go(ctx context.Context, f func(ctx context.Context)) {
	g.WaitGroup.Go(func() { f(ctx) })
}
