package cli

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/plans"
)

// watchCall shows what an operation does while it lasts, or debugs its run, until what it
// returns is called.
func (i *invocation) watchCall() (stop func()) {
	if in, ok := i.in.(*execution.RunInput); ok && in.Debugger != nil {
		return i.debug(in.Debugger)
	}
	none := func() {}
	if i.quiet || i.liveTerminal(i.cmd) == nil && !i.plainProgress(i.cmd) {
		return none
	}
	r := &liveRun{plain: i.liveTerminal(i.cmd) == nil}
	switch in := i.in.(type) {
	case *execution.RunInput:
		if len(in.Cases) > 0 {
			return i.watchCases(in)
		}
		in.OnEvent = r.event
	case *execution.ResumeRunInput:
		in.OnEvent = r.event
	case *execution.AnswerInput:
		in.OnEvent = r.event
	case *plans.SyncInput:
		return i.showProgress(i.cmd, false, i.serverView(i.app, func(name string) bool { return len(in.Servers) == 0 || slices.Contains(in.Servers, name) }))
	default:
		return i.showProgress(i.cmd, false, i.serverView(i.app, i.waiting.has))
	}
	return i.showProgress(i.cmd, true, &runView{r, i.serverView(i.app, i.waiting.has)})
}

// watchCases shows how many cases of a run are done.
func (i *invocation) watchCases(in *execution.RunInput) (stop func()) {
	at := &partsDone{total: len(in.Cases), servers: i.serverView(i.app, i.waiting.has)}
	in.OnCase = at.ended
	return i.showProgress(i.cmd, false, at)
}

// A partsDone is how many of a known number of parts, such as the files of tests, are done,
// and which servers they wait for.
type partsDone struct {
	mu                  sync.Mutex
	now                 string // the part that is in progress
	done, failed, total int
	servers             *liveServers // nil before there are any
}

// waitsFor says which servers the parts that follow may wait for.
func (t *partsDone) waitsFor(servers *liveServers) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.servers = servers
}

// next says that a part begins.
func (t *partsDone) next(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = name
}

// ended says that a part is done.
func (t *partsDone) ended(passed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	if !passed {
		t.failed++
	}
}

func (t *partsDone) frame(w *page, now time.Time, lines int) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	line := bar(t.done, t.total, barWidth)
	if t.failed > 0 {
		line += "  " + w.paint(bad, fmt.Sprintf("%d failed", t.failed))
	}
	if t.now != "" {
		line += "  " + t.now
	}
	out := []string{w.cut(line)}
	if t.servers != nil {
		out = append(out, t.servers.frame(w, now, lines-1)...)
	}
	return out
}

// news has lines of servers only: the results of the parts are lines themselves.
func (t *partsDone) news(now time.Time, end bool) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.servers == nil {
		return nil
	}
	return t.servers.news(now, end)
}
