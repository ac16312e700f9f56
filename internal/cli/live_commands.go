package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/patchbay-mcp/patchbay/internal/app"
)

// watchRun shows the run of an operation while it executes, or debugs it, until what it
// returns is called.
func (i *invocation) watchRun() (stop func()) {
	if in, ok := i.in.(*app.RunInput); ok && in.Debugger != nil {
		return i.debug(in.Debugger)
	}
	if i.liveTerminal(i.cmd) == nil {
		return func() {}
	}
	r := &liveRun{}
	switch in := i.in.(type) {
	case *app.RunInput:
		in.OnEvent = r.event
	case *app.ResumeRunInput:
		in.OnEvent = r.event
	case *app.AnswerInput:
		in.OnEvent = r.event
	default:
		return func() {}
	}
	return i.watchLive(i.cmd, true, r.frame)
}

// A testsAt is how far the tests of several files have come.
type testsAt struct {
	mu          sync.Mutex
	file        string
	done, total int
}

// next says that the tests of a file begin.
func (t *testsAt) next(file string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file != "" {
		t.done++
	}
	t.file = file
}

func (t *testsAt) frame(w *page, _ time.Time, _ int) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file == "" {
		return nil
	}
	return []string{w.cut(bar(t.done, t.total, 20) + " " + t.file)}
}

// greet says at a terminal, where a person has started what clients start, what is served.
func (f *flags) greet(cmd *cobra.Command, p *app.App) {
	if !stdinOf(cmd).terminal || f.quiet {
		return
	}
	log := cmd.ErrOrStderr()
	fmt.Fprintf(log, "patchbay: serving MCP on standard input and output, for a client that starts this command: patchbay init --client NAME\n")
	fmt.Fprintf(log, "  %s, %s; end with Ctrl-C or Ctrl-D; --http 127.0.0.1:8080 serves HTTP\n", counted(len(p.Status()), "server"), counted(len(p.Published()), "tool")+" of graphs")
}
