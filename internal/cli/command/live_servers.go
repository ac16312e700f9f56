package command

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
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
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

// NewWaiting returns a record of the waits for servers, without any wait yet.
func NewWaiting(stderr io.Writer, framed *atomic.Bool, servers []config.Server) *waiting {
	w := &waiting{stderr: stderr, framed: framed, commands: map[string]string{}, names: map[string]bool{}}
	for _, s := range servers {
		w.commands[s.Name] = downstream.Installer(s.Command)
	}
	return w
}

// Report says once of each server that the command waits for it.
func (w *waiting) Report(name string) {
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

func (w *waiting) Has(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.names[name]
}

// A LiveServers shows servers while they start: a line for each, with its state, tools and
// seconds.
type LiveServers struct {
	Waiting *waiting
	Status  func() []downstream.Status
	Shown   func(name string) bool // which are shown
	Every   bool                   // each has a plain line, not only those whose wait was reported

	mu    sync.Mutex
	Began time.Time                // of the first look
	Took  map[string]time.Duration // until a start was seen to have ended
	Told  map[string]bool          // those whose end has a plain line
}

// ServerView shows the servers of an App that a function chooses.
func (f *Flags) ServerView(pb *app.App, shown func(name string) bool) *LiveServers {
	return &LiveServers{Waiting: f.Waiting, Status: pb.Status, Shown: shown, Began: time.Now(), Took: map[string]time.Duration{}, Told: map[string]bool{}}
}

// starting reports whether the outcome of a start is not known yet.
func starting(s *downstream.Status) bool { return s.State == "starting" || s.State == "cached" }

// after is how long a server took to start, or has taken so far. l.mu is held.
func (l *LiveServers) after(s *downstream.Status, now time.Time) time.Duration {
	took, known := l.Took[s.Name]
	if !known {
		took = max(0, now.Sub(l.Began))
		if !starting(s) {
			l.Took[s.Name] = took
		}
	}
	return took
}

// Frame implements [term.View].
func (l *LiveServers) Frame(w *term.Page, now time.Time, lines int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, s := range l.Status() {
		if l.Shown(s.Name) {
			out = append(out, w.Cut(l.line(w, &s, l.after(&s, now))))
		}
	}
	if more := len(out) - max(lines, 2); more > 0 {
		out = append(out[:len(out)-more-1], "     … and "+term.Count(more+1, "more server"))
	}
	return out
}

// line shows a server: what it has come to, its tools and the time.
func (l *LiveServers) line(w *term.Page, s *downstream.Status, took time.Duration) string {
	mark, state := w.Paint(term.Good, "ok  "), term.Count(s.Tools, "tool")
	switch {
	case starting(s):
		mark, state = w.Paint(term.Doubt, spinning(took)+"   "), "starting"+l.Waiting.why(s.Name)
		if s.State == "cached" { // it was started before, so it is installed
			state = "starting, " + term.Count(s.Tools, "tool") + " known"
		}
	case s.State == "idle":
		state += " known, starts when it is needed"
	case s.State != "ready":
		mark, state = w.Paint(term.Bad, "FAIL"), diag.OneLine(cmp.Or(s.Reason, s.State))
	}
	return fmt.Sprintf("%s %s %7s  %s", mark, term.Pad(diag.OneLine(s.Name), 20), term.Duration(took), state)
}

// Started reports whether the outcome of every start is known.
func (l *LiveServers) Started() bool {
	return !slices.ContainsFunc(l.Status(), func(s downstream.Status) bool { return starting(&s) })
}

// News has a line for each server whose wait was reported, when that is over.
func (l *LiveServers) News(now time.Time, _ bool) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, s := range l.Status() {
		took := l.after(&s, now)
		if !l.Told[s.Name] && !starting(&s) && l.Shown(s.Name) && (l.Every || l.Waiting.Has(s.Name)) {
			l.Told[s.Name] = true
			out = append(out, l.line(&term.Page{}, &s, took))
		}
	}
	return out
}

// A runView shows a run, and below it the servers that it waits for.
type runView struct {
	run     *LiveRun
	servers *LiveServers
}

func (v *runView) Frame(w *term.Page, now time.Time, lines int) []string {
	waits := v.servers.Frame(w, now, max(2, lines/3))
	return append(v.run.Frame(w, now, lines-len(waits)), waits...)
}

func (v *runView) News(now time.Time, end bool) []string {
	return append(v.servers.News(now, end), v.run.News(now, end)...)
}
