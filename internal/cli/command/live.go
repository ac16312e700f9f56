package command

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/run"
)

// A LiveRun is what is known of a run while it executes: a line for each of its own nodes.
// It is safe for concurrent use, and knows neither clock nor terminal.
type LiveRun struct {
	mu    sync.Mutex
	began time.Time
	nodes []*liveNode // in the order in which they started
	lines []string    // that are still to be written, where no terminal shows frames
	Plain bool        // such lines are collected
}

// A liveNode adds up the executions of a node. Parts are the items of a foreach, and the
// steps of a nested graph.
type liveNode struct {
	name           string
	running, ended int
	parts, active  int
	items, of      int // items of a foreach that are done, and all of them; 0 of 0 without foreach
	failed         bool
	began          time.Time     // of the latest execution
	took           time.Duration // of those that have ended
	told           int           // executions that the latest plain line counts
}

// Event takes note of a step that starts or ends.
func (r *LiveRun) Event(e run.Event) {
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
	case e.Part:
		n.part(&e)
	case e.Ended:
		n.ended, n.running = n.ended+1, max(0, n.running-1)
		n.took += e.Duration
		n.failed = e.Err != nil && !e.Caught
		if n.running == 0 {
			n.active = 0 // items that were cancelled may not end
		}
	default:
		n.running++
		n.began = e.At
		n.items, n.of = 0, 0
	}
	if r.Plain && e.Ended && (!e.Part || ownItem(&e) && (e.Err == nil || e.Caught)) {
		r.tell(n, &e)
	}
}

// part takes note of an item of a foreach, or of a step of a nested graph.
func (n *liveNode) part(e *run.Event) {
	own := ownItem(e)
	if own {
		n.of = e.Items
	}
	if !e.Ended {
		n.active++
		return
	}
	n.parts, n.active = n.parts+1, max(0, n.active-1)
	if own && (e.Err == nil || e.Caught) {
		n.items++
	}
}

// ownItem reports whether a step is an item of a foreach of the run's own nodes.
func ownItem(e *run.Event) bool { return e.Items > 0 && !strings.Contains(e.Key, "/") }
