package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

// What the end of serve may take. Clients kill a server 4 seconds after they have
// closed its input.
const (
	maxReplies  = time.Second            // for requests that are in progress at the end of the input
	lastReplies = 300 * time.Millisecond // for replies that say how the runs stand
	maxEnd      = 2 * time.Second        // for everything after the calls in flight
)

// shutdown ends an App, and then with stop what served it. It began at a time from
// which calls that have left may take as long as the configuration says. Whatever
// holds the rest up, it returns two seconds later.
func shutdown(p *app.App, began time.Time, stderr io.Writer, stop func()) {
	patience := began.Add(p.Config().Grace)
	ctx, cancel := context.WithDeadline(context.Background(), patience)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Shutdown(ctx)
		stop()
	}()
	select {
	case <-done:
	case <-time.After(time.Until(patience.Add(maxEnd))):
		fmt.Fprintln(stderr, "patchbay: the end takes too long and is cut short; the next start resumes the runs")
	}
}
