package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
)

// A waiting knows the servers that a command has waited for longer than a moment.
type waiting struct {
	stderr   io.Writer
	framed   *atomic.Bool      // a view shows the servers: nothing is written in addition
	commands map[string]string // what may install a server, by its name

	mu    sync.Mutex
	names map[string]bool
}

func newWaiting(stderr io.Writer, framed *atomic.Bool, servers []config.Server) *waiting {
	w := &waiting{stderr: stderr, framed: framed, commands: map[string]string{}, names: map[string]bool{}}
	for _, s := range servers {
		w.commands[s.Name] = downstream.Installer(s.Command)
	}
	return w
}

// report says once of each server that the command waits for it.
func (w *waiting) report(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.names[name] {
		return
	}
	w.names[name] = true
	if !w.framed.Load() {
		fmt.Fprintf(w.stderr, "waiting for server %q to start%s…\n", name, w.why(name))
	}
}

// why says what may take long about the start of a server, "" if nothing is known.
func (w *waiting) why(name string) string {
	if command := w.commands[name]; command != "" {
		return fmt.Sprintf(" (installed by %s if needed)", command)
	}
	return ""
}

func (w *waiting) has(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.names[name]
}

// A liveServers shows servers while they start: a line for each, with its state, tools and
// seconds.
type liveServers struct {
	waiting *waiting
	status  func() []downstream.Status
	shown   func(name string) bool // which are shown
	every   bool                   // each has a plain line, not only those whose wait was reported

	mu    sync.Mutex
	began time.Time                // of the first look
	took  map[string]time.Duration // until a start was seen to have ended
	told  map[string]bool          // those whose end has a plain line
}

// serverView shows the servers of an App that a function chooses.
func (f *flags) serverView(pb *app.App, shown func(name string) bool) *liveServers {
	return &liveServers{waiting: f.waiting, status: pb.Status, shown: shown, began: time.Now(), took: map[string]time.Duration{}, told: map[string]bool{}}
}

// starting reports whether the outcome of a start is not known yet.
func starting(s *downstream.Status) bool { return s.State == "starting" || s.State == "cached" }

// after is how long a server took to start, or has taken so far. l.mu is held.
func (l *liveServers) after(s *downstream.Status, now time.Time) time.Duration {
	took, known := l.took[s.Name]
	if !known {
		took = max(0, now.Sub(l.began))
		if !starting(s) {
			l.took[s.Name] = took
		}
	}
	return took
}

func (l *liveServers) frame(w *page, now time.Time, lines int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, s := range l.status() {
		if l.shown(s.Name) {
			out = append(out, w.cut(l.line(w, &s, l.after(&s, now))))
		}
	}
	if more := len(out) - max(lines, 2); more > 0 {
		out = append(out[:len(out)-more-1], "     … and "+counted(more+1, "more server"))
	}
	return out
}

// line shows a server: what it has come to, its tools and the time.
func (l *liveServers) line(w *page, s *downstream.Status, took time.Duration) string {
	mark, state := w.paint(good, "ok  "), counted(s.Tools, "tool")
	switch {
	case starting(s):
		mark, state = w.paint(doubt, spinning(took)+"   "), "starting"+l.waiting.why(s.Name)
		if s.State == "cached" { // it was started before, so it is installed
			state = "starting, " + counted(s.Tools, "tool") + " known"
		}
	case s.State == "idle":
		state += " known, starts when it is needed"
	case s.State != "ready":
		mark, state = w.paint(bad, "FAIL"), diag.OneLine(cmp.Or(s.Reason, s.State))
	}
	return fmt.Sprintf("%s %s %7s  %s", mark, pad(diag.OneLine(s.Name), 20), brief(took), state)
}

// started reports whether the outcome of every start is known.
func (l *liveServers) started() bool {
	return !slices.ContainsFunc(l.status(), func(s downstream.Status) bool { return starting(&s) })
}

// news has a line for each server whose wait was reported, when that is over.
func (l *liveServers) news(now time.Time, _ bool) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, s := range l.status() {
		took := l.after(&s, now)
		if !l.told[s.Name] && !starting(&s) && l.shown(s.Name) && (l.every || l.waiting.has(s.Name)) {
			l.told[s.Name] = true
			out = append(out, l.line(&page{}, &s, took))
		}
	}
	return out
}

// A runView shows a run, and below it the servers that it waits for.
type runView struct {
	run     *liveRun
	servers *liveServers
}

func (v *runView) frame(w *page, now time.Time, lines int) []string {
	waits := v.servers.frame(w, now, max(2, lines/3))
	return append(v.run.frame(w, now, lines-len(waits)), waits...)
}

func (v *runView) news(now time.Time, end bool) []string {
	return append(v.servers.news(now, end), v.run.news(now, end)...)
}
