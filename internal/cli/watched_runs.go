package cli

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/cli/command"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/sys/lists"
	"github.com/patchbay-mcp/patchbay/run"
)

// watchedRuns are runs of any process, as the journal knows them.
type watchedRuns struct {
	app       *app.App
	presenter command.Words // in whose words hints are shown
	plain     bool          // their plain lines are collected

	mu   sync.Mutex
	runs []*watchedRun
}

// A watchedRun is a run that is looked at again and again.
type watchedRun struct {
	id     string
	live   command.LiveRun
	noted  run.NoticeLog
	items  map[string]int          // of the steps with a foreach, by key
	result *execution.GetRunResult // of the run that has ended; while it waits, with what it waits for
	status run.Status
	graph  string
	told   bool // plain text has said that it waits
}

func (w *watchedRuns) add(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.runs {
		if r.id == id {
			return
		}
	}
	w.runs = append(w.runs, &watchedRun{id: id, live: command.LiveRun{Plain: w.plain}, items: map[string]int{}})
}

// look takes note of what has happened in the runs, and returns how many have not ended.
func (w *watchedRuns) look(ctx context.Context) (live int, err error) {
	for _, r := range w.runs {
		if r.over() {
			continue
		}
		if fault := w.lookAt(ctx, r); fault != nil {
			return 0, fault
		}
		if !r.over() {
			live++
		}
	}
	return live, nil
}

// over reports whether a run has ended.
func (r *watchedRun) over() bool {
	return r.status != "" && r.status != run.Running && r.status != run.Interrupted
}

func (w *watchedRuns) lookAt(ctx context.Context, r *watchedRun) *diag.Fault {
	log, fault := w.app.RunLog(ctx, execution.RunLogInput{RunID: r.id})
	if fault != nil {
		return fault
	}
	for _, n := range r.noted.New(log.Events) {
		if n.Type.OfStep() {
			r.live.Event(w.event(ctx, r, &n))
		}
	}
	var result *execution.GetRunResult
	if status := run.Status(log.Status); status != run.Running && status != r.status {
		if result, fault = w.app.GetRun(ctx, execution.GetRunInput{RunID: r.id}); fault != nil {
			return fault
		}
		result.Trace = nil
		w.presenter.Result(reflect.ValueOf(result))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	r.graph, r.status = log.Graph, run.Status(log.Status)
	switch {
	case result != nil:
		r.result = result
	case r.status == run.Running:
		r.result, r.told = nil, false
	}
	return nil
}

// event is what the process that executes a run knew when it sent a notice.
func (w *watchedRuns) event(ctx context.Context, r *watchedRun, n *run.Notice) run.Event {
	e := run.Event{
		Key: n.Key, Node: n.Node, At: n.At, Part: strings.ContainsAny(n.Key, "/["), Ended: n.Type != run.NodeStarted,
		Duration: time.Duration(n.Ms * float64(time.Millisecond)), Caught: n.Caught,
	}
	if n.Error != nil {
		e.Err = n.Error
	}
	if step, _, item := strings.Cut(n.Key, "["); item && !strings.Contains(n.Key, "/") {
		if _, known := r.items[step]; !known {
			r.items[step] = w.app.CountItems(ctx, r.id, step)
		}
		e.Items = r.items[step]
	}
	return e
}

func (w *watchedRuns) Frame(p *term.Page, now time.Time, lines int) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, r := range w.runs {
		out = append(out, p.Cut(fmt.Sprintf("%s  %s  %s", r.id, cmp.Or(r.graph, "(no name)"), p.Paint(statusStyle(r.status), string(r.status)))))
		if r.over() && len(w.runs) > 1 {
			continue
		}
		for _, line := range append(r.live.Frame(p, now, lines/len(w.runs)-1), r.waits()...) {
			out = append(out, p.Cut("  "+line))
		}
	}
	return out
}

// waits are the lines that say what a run that has stopped waits for.
func (r *watchedRun) waits() []string {
	if r.status != run.Interrupted || r.result == nil {
		return nil
	}
	lines := lists.Each(r.result.Asks, func(a execution.Ask) string { return fmt.Sprintf("asks (%s): %s", a.Step, diag.OneLine(a.Message)) })
	if r.result.Hint != "" {
		lines = append(lines, "hint: "+diag.OneLine(r.result.Hint))
	}
	return lines
}

func (w *watchedRuns) News(now time.Time, end bool) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, r := range w.runs {
		lines := r.live.News(now, end)
		if waits := r.waits(); len(waits) > 0 && !r.told {
			r.told = true
			lines = append(lines, waits...)
		}
		for _, line := range lines {
			if len(w.runs) > 1 {
				line = r.id + "  " + line
			}
			out = append(out, line)
		}
	}
	return out
}
