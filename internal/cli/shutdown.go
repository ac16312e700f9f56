package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/execution"
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
		fmt.Fprintln(stderr, "patchbay: the shutdown took too long and was ended; the next start resumes the runs")
	}
}

// workerCommand is the command of programs that have a runtime.
func workerCommand(f *command.Flags) *cobra.Command {
	role := map[string]execution.Role{"": {Walk: true, Call: true}, "runs": {Walk: true}, "calls": {Call: true}}
	var only string
	c := &cobra.Command{
		Use: "worker", Short: "Execute the runs of the runtime", Example: "  patchbay-temporal worker\n  patchbay-temporal worker --only calls",
		Long: "Execute the runs that patchbay-temporal serve and others start, until a signal. A worker keeps nothing: others take over the runs of one that ends. It needs the configuration, with the servers that the runs call.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, ok := role[only]
			if !ok {
				return command.Misuse("--only", "unknown role "+only, "use runs or calls")
			}
			f.LongRunning = true
			p, err := f.OpenApp(cmd)
			if err != nil {
				return err
			}
			defer p.Close()
			if p.Config().Runtime.Temporal.Address == "" {
				return command.Misuse("/runtime", "the configuration has no runtime, so each process executes the runs that it starts", "set runtime.temporal.address in patchbay.yaml")
			}
			go follow(cmd.Context(), f, p, cmd.ErrOrStderr())
			return p.Work(cmd.Context(), r)
		},
	}
	c.Flags().StringVar(&only, "only", "", "execute only the `PART`: runs, which decides what each run does next, or calls, which calls servers")
	return c
}
