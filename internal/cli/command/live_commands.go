package command

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// watchCall shows what an operation does while it lasts, or debugs its run, until what it
// returns is called.
func (i *Invocation) watchCall() (stop func()) {
	if in, ok := i.In.(*execution.RunInput); ok && in.Debugger != nil {
		return i.debug(in.Debugger)
	}
	none := func() {}
	if i.Quiet || i.LiveTerminal(i.Cmd) == nil && !i.PlainProgress(i.Cmd) {
		return none
	}
	r := &LiveRun{Plain: i.LiveTerminal(i.Cmd) == nil}
	switch in := i.In.(type) {
	case *execution.RunInput:
		if len(in.Cases) > 0 {
			return i.watchCases(in)
		}
		in.OnEvent = r.Event
	case *execution.ResumeRunInput:
		in.OnEvent = r.Event
	case *execution.AnswerInput:
		in.OnEvent = r.Event
	case *plans.SyncInput:
		return i.ShowProgress(i.Cmd, false, i.ServerView(i.App, func(name string) bool { return len(in.Servers) == 0 || slices.Contains(in.Servers, name) }))
	default:
		return i.ShowProgress(i.Cmd, false, i.ServerView(i.App, i.Waiting.Has))
	}
	return i.ShowProgress(i.Cmd, true, &runView{r, i.ServerView(i.App, i.Waiting.Has)})
}

// watchCases shows how many cases of a run are done.
func (i *Invocation) watchCases(in *execution.RunInput) (stop func()) {
	at := &PartsDone{Total: len(in.Cases), servers: i.ServerView(i.App, i.Waiting.Has)}
	in.OnCase = at.Ended
	return i.ShowProgress(i.Cmd, false, at)
}

// A PartsDone is how many of a known number of parts, such as the files of tests, are done,
// and which servers they wait for.
type PartsDone struct {
	mu                  sync.Mutex
	now                 string // the part that is in progress
	done, failed, Total int
	servers             *LiveServers // nil before there are any
}

// WaitsFor says which servers the parts that follow may wait for.
func (t *PartsDone) WaitsFor(servers *LiveServers) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.servers = servers
}

// Next says that a part begins.
func (t *PartsDone) Next(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = name
}

// Ended says that a part is done.
func (t *PartsDone) Ended(passed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	if !passed {
		t.failed++
	}
}

// Frame implements [term.View].
func (t *PartsDone) Frame(w *term.Page, now time.Time, lines int) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	line := bar(t.done, t.Total, barWidth)
	if t.failed > 0 {
		line += "  " + w.Paint(term.Bad, fmt.Sprintf("%d failed", t.failed))
	}
	if t.now != "" {
		line += "  " + t.now
	}
	out := []string{w.Cut(line)}
	if t.servers != nil {
		out = append(out, t.servers.Frame(w, now, lines-1)...)
	}
	return out
}

// News has lines of servers only: the results of the parts are lines themselves.
func (t *PartsDone) News(now time.Time, end bool) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.servers == nil {
		return nil
	}
	return t.servers.News(now, end)
}
