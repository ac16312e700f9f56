package command

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

const (
	// maxServerWait is how long a command that runs once waits for a server that it
	// needs. It covers the time limit of a start and the second attempt that follows,
	// so that the outcome can be reported. A client of serve can ask again and waits
	// less.
	maxServerWait = 3 * time.Minute
	// MaxOptionalWait is how long a command waits for a server that it can do without.
	MaxOptionalWait = 5 * time.Second
)

// A limit is how long a command waits for a server that is starting.
type limit func(f *Flags, s downstream.Status) time.Duration

// UntilKnown waits until the outcome of each start is known.
func UntilKnown(*Flags, downstream.Status) time.Duration { return maxServerWait }

// untilListed waits until the tools of each server are known; those that are
// cached are used when the server is slow, or is to be started later.
func untilListed(f *Flags, s downstream.Status) time.Duration {
	switch s.State {
	case "idle":
		return 0
	case "cached":
		return f.OptionalWait
	}
	return maxServerWait
}

// briefly waits for every server a little. A graph that names a server waits
// for that one longer.
func briefly(f *Flags, s downstream.Status) time.Duration {
	if s.State == "idle" {
		return 0
	}
	return f.OptionalWait
}

// OpenReady opens an App for a command that runs once, and waits for the servers
// that are starting.
func (f *Flags) OpenReady(ctx context.Context, stderr io.Writer, l limit) (*app.App, error) {
	pb, err := f.Open(ctx, stderr)
	if err != nil {
		return nil, err
	}
	return pb, f.await(ctx, pb, l)
}

// OpenFor opens an App for a command about nodes: servers that the nodes do not
// need are not started.
func (f *Flags) OpenFor(ctx context.Context, stderr io.Writer, nodes []string) (*app.App, error) {
	f.Offline = true
	pb, err := f.Open(ctx, stderr)
	if err != nil {
		return nil, err
	}
	needed, others := plans.NeededServers(pb.Plans, nodes)
	if others {
		pb.Start(ctx)
	} else if len(needed) > 0 {
		pb.Start(ctx, needed...)
	}
	return pb, f.await(ctx, pb, func(f *Flags, s downstream.Status) time.Duration {
		switch {
		case slices.Contains(needed, s.Name):
			return untilListed(f, s)
		case others:
			return f.OptionalWait
		}
		return 0
	})
}

// await waits for servers. The error says that the command was interrupted, and the
// App is closed.
func (f *Flags) await(ctx context.Context, pb *app.App, l limit) error {
	awaited := map[string]bool{}
	for _, s := range pb.Status() {
		awaited[s.Name] = s.State != "failed" && l(f, s) > 0
	}
	stop := f.ShowProgress(f.Cmd, false, f.ServerView(pb, func(name string) bool { return awaited[name] }))
	err := pb.AwaitServers(ctx, func(s downstream.Status) time.Duration { return l(f, s) })
	stop()
	if err == nil {
		return nil
	}
	pb.Close()
	return &diag.Fault{Code: diag.CodeCancelled, Message: "the command was interrupted while it waited for servers"}
}
