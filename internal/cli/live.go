package cli

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// A liveRun is what is known of a run while it executes: a line for each of its own nodes.
// It is safe for concurrent use, and knows neither clock nor terminal.
type liveRun struct {
	mu    sync.Mutex
	began time.Time
	nodes []*liveNode // in the order in which they started
}

// A liveNode adds up the executions of a node. Parts are the items of a foreach, and the
// steps of a nested graph.
type liveNode struct {
	name           string
	running, ended int
	parts, active  int
	failed         bool
	began          time.Time     // of the latest execution
	took           time.Duration // of those that have ended
}

// event takes note of a step that starts or ends.
func (r *liveRun) event(e run.Event) {
	name, _, _ := strings.Cut(e.Key, "#")
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.began.IsZero() {
		r.began = e.At
	}
	i := slices.IndexFunc(r.nodes, func(n *liveNode) bool { return n.name == name })
	if i < 0 {
		i = len(r.nodes)
		r.nodes = append(r.nodes, &liveNode{name: name, began: e.At})
	}
	n := r.nodes[i]
	switch {
	case e.Part && e.Ended:
		n.parts, n.active = n.parts+1, max(0, n.active-1)
	case e.Part:
		n.active++
	case e.Ended:
		n.ended, n.running = n.ended+1, max(0, n.running-1)
		n.took += e.Duration
		n.failed = e.Err != nil && !e.Caught
	default:
		n.running++
		n.began = e.At
	}
}

// spinner are the pictures of something that executes, of which each is shown for
// spinTime.
var spinner = []string{"|", "/", "-", `\`}

const spinTime = 100 * time.Millisecond

// frame is the run as at most so many lines show it at a moment.
func (r *liveRun) frame(w *page, now time.Time, lines int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	width := 0
	for _, n := range r.nodes {
		width = min(max(width, len(n.name)), 30)
	}
	for _, n := range r.nodes {
		out = append(out, w.cut(n.line(w, now, now.Sub(r.began), width)))
	}
	if more := len(out) - max(lines, 2); more > 0 {
		out = append([]string{fmt.Sprintf("     … %s before these", counted(more+1, "node"))}, out[more+1:]...)
	}
	return out
}

func (n *liveNode) line(w *page, now time.Time, since time.Duration, width int) string {
	mark, took := w.paint(good, "ok  "), n.took
	switch {
	case n.running > 0:
		mark = w.paint(doubt, spinner[int(since/spinTime)%len(spinner)]+"   ")
		took += now.Sub(n.began)
	case n.failed:
		mark = w.paint(bad, "FAIL")
	}
	line := fmt.Sprintf("%s %-*s %10s", mark, width, diag.Cut(diag.OneLine(n.name), width), milliseconds(took))
	if times := n.ended + n.running; times > 1 {
		line += fmt.Sprintf("  %d times", times)
	}
	if n.parts+n.active > 0 {
		line += "  " + counted(n.parts, "step") + " done"
		if n.active > 0 {
			line += fmt.Sprintf(", %d running", n.active)
		}
	}
	return line
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%d ms", max(0, d.Milliseconds()))
}

// bar shows how many of a known number are done.
func bar(done, total, width int) string {
	full := width
	if total > 0 {
		full = min(width, done*width/total)
	}
	return "[" + strings.Repeat("=", full) + strings.Repeat(" ", width-full) + fmt.Sprintf("] %d/%d", done, total)
}
