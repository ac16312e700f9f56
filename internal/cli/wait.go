package cli

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

const (
	// maxServerWait is how long a command that runs once waits for a server that it
	// needs. It covers the time limit of a start and the second attempt that follows,
	// so that the outcome can be reported. A client of serve can ask again and waits
	// less.
	maxServerWait = 3 * time.Minute
	// maxOptionalWait is how long a command waits for a server that it can do without.
	maxOptionalWait = 5 * time.Second
)

// A limit is how long a command waits for a server that is starting.
type limit func(f *flags, s downstream.Status) time.Duration

// untilKnown waits until the outcome of each start is known.
func untilKnown(*flags, downstream.Status) time.Duration { return maxServerWait }

// untilListed waits until the tools of each server are known; those that are
// cached are used when the server is slow, or is to be started later.
func untilListed(f *flags, s downstream.Status) time.Duration {
	switch s.State {
	case "idle":
		return 0
	case "cached":
		return f.optionalWait
	}
	return maxServerWait
}

// briefly waits for every server a little. A graph that names a server waits
// for that one longer.
func briefly(f *flags, s downstream.Status) time.Duration {
	if s.State == "idle" {
		return 0
	}
	return f.optionalWait
}

// openReady opens an App for a command that runs once, and waits for the servers
// that are starting.
func (f *flags) openReady(ctx context.Context, stderr io.Writer, l limit) (*app.App, error) {
	pb, err := f.open(ctx, stderr)
	if err != nil {
		return nil, err
	}
	return pb, f.await(ctx, pb, l)
}

// openFor opens an App for a command about nodes: servers that the nodes do not
// need are not started.
func (f *flags) openFor(ctx context.Context, stderr io.Writer, nodes []string) (*app.App, error) {
	f.offline = true
	pb, err := f.open(ctx, stderr)
	if err != nil {
		return nil, err
	}
	needed, others := pb.NeededServers(nodes)
	if others {
		pb.Start(ctx)
	} else if len(needed) > 0 {
		pb.Start(ctx, needed...)
	}
	return pb, f.await(ctx, pb, func(f *flags, s downstream.Status) time.Duration {
		switch {
		case slices.Contains(needed, s.Name):
			return untilListed(f, s)
		case others:
			return f.optionalWait
		}
		return 0
	})
}

// await waits for servers. The error says that the command was interrupted, and the
// App is closed.
func (f *flags) await(ctx context.Context, pb *app.App, l limit) error {
	awaited := map[string]bool{}
	for _, s := range pb.Status() {
		awaited[s.Name] = s.State != "failed" && l(f, s) > 0
	}
	stop := f.showProgress(f.cmd, false, f.serverView(pb, func(name string) bool { return awaited[name] }))
	err := pb.AwaitServers(ctx, func(s downstream.Status) time.Duration { return l(f, s) })
	stop()
	if err == nil {
		return nil
	}
	pb.Close()
	return &diag.Fault{Code: diag.CodeCancelled, Message: "the command was interrupted while it waited for servers"}
}
