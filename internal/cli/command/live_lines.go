package command

import (
	"fmt"
	"strings"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/cli/term"
	"github.com/patchbay-mcp/patchbay/run"
)

// spinner are the pictures of something that executes; each is shown for
// spinTime.
var spinner = []string{"|", "/", "-", `\`}

const (
	spinTime = 100 * time.Millisecond
	barWidth = 20
	maxName  = 30
)

// spinning is the picture for something that has executed for a time.
func spinning(since time.Duration) string { return spinner[int(since/spinTime)%len(spinner)] }

// Frame is the run as at most so many lines show it at a moment.
func (r *LiveRun) Frame(w *term.Page, now time.Time, lines int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	width := 0
	for _, n := range r.nodes {
		width = min(max(width, term.Columns(diag.OneLine(n.name))), maxName)
	}
	for _, n := range r.nodes {
		out = append(out, w.Cut(n.line(w, now, now.Sub(r.began), width)))
	}
	if more := len(out) - max(lines, 2); more > 0 {
		out = append([]string{fmt.Sprintf("     … %s before these", term.Count(more+1, "node"))}, out[more+1:]...)
	}
	return out
}

func (n *liveNode) line(w *term.Page, now time.Time, since time.Duration, width int) string {
	mark, took := w.Paint(term.Good, "ok  "), n.took
	switch {
	case n.running > 0:
		mark = w.Paint(term.Doubt, spinning(since)+"   ")
		took += now.Sub(n.began)
	case n.failed:
		mark = w.Paint(term.Bad, "FAIL")
	}
	line := fmt.Sprintf("%s %s %10s", mark, term.Pad(diag.OneLine(n.name), width), milliseconds(took))
	if times := n.ended + n.running; times > 1 {
		line += fmt.Sprintf("  %d times", times)
	}
	switch {
	case n.of > 0 && n.running > 0:
		line += "  " + bar(n.items, n.of, barWidth)
	case n.items < n.of && n.failed:
		line += fmt.Sprintf("  %d of %s", n.items, term.Count(n.of, "item"))
	case n.of > 0:
		line += "  " + term.Count(n.of, "item")
	case n.parts+n.active > 0:
		line += "  " + term.Count(n.parts, "step") + " done"
	}
	if n.active > 0 {
		line += fmt.Sprintf(", %d running", n.active)
	}
	return line
}

// maxTold is after how many executions of a node only the 10th, the 100th and so on have a
// plain line of their own.
const maxTold = 3

// minQuarters is how many items a foreach has whose quarters have plain lines.
const minQuarters = 20

// tell collects the plain line of a step that has ended, if it has one.
func (r *LiveRun) tell(n *liveNode, e *run.Event) {
	switch {
	case !e.Part && (n.failed || n.ended <= maxTold || powerOfTen(n.ended)):
		n.told = n.ended
		r.lines = append(r.lines, n.line(&term.Page{}, e.At, 0, maxName))
	case e.Items >= minQuarters && n.items < n.of && n.items*4/n.of != (n.items-1)*4/n.of:
		r.lines = append(r.lines, fmt.Sprintf("     %s %10s  %d of %d items", term.Pad(diag.OneLine(n.name), maxName), milliseconds(e.At.Sub(n.began)), n.items, n.of))
	}
}

func powerOfTen(n int) bool {
	for n%10 == 0 && n > 0 {
		n /= 10
	}
	return n == 1
}

// News are the plain lines since the last call. At the end, it has those of nodes that have
// executed since their last line, too.
func (r *LiveRun) News(_ time.Time, end bool) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	lines := r.lines
	r.lines = nil
	for _, n := range r.nodes {
		if end && n.ended > n.told {
			n.told = n.ended
			n.running = 0
			lines = append(lines, n.line(&term.Page{}, time.Time{}, 0, maxName))
		}
	}
	return lines
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
