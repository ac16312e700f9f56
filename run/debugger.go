package run

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/expr"
)

// The reasons for which a run pauses before a node, and how it continues.
const (
	AtBreakpoint = "breakpoint" // the node has a breakpoint
	AtStep       = "step"       // the run executes a step at a time
	ByContinue   = "continue"   // until the next breakpoint
	ByStep       = "step"       // until the next node
)

// A Debugger pauses one run before nodes, until somebody lets it continue. Branches pause
// by themselves. It pauses before the run's own nodes: not before each item of a foreach, and
// not in nested graphs. It is safe for concurrent use.
type Debugger struct {
	idle time.Duration

	mu          sync.Mutex
	breakpoints map[string]bool
	stepping    bool
	ended       bool
	aborted     chan struct{} // closed by Abort
	paused      []*Pause      // the first that paused is the first
	changed     chan struct{} // closed when that changes
	used        time.Time     // when somebody used the debugger last
}

// A Pause is one step before which a run is paused.
type Pause struct {
	Key      string // of the step
	Node     string
	NodeType string
	Why      string // AtBreakpoint or AtStep
	At       time.Time

	by     chan string
	scope  *expr.Scope
	debug  *Debugger
	inside sync.Mutex // held while an expression is evaluated on scope
	over   bool       // guarded by inside: scope belongs to the run again
}

// NewDebugger returns a debugger with breakpoints on nodes, and one that pauses before the
// first node if step is set. A pause in which the debugger is not used for as long as idle
// ends the run with the fault debug-timeout; 0 has no bound.
func NewDebugger(breakpoints []string, step bool, idle time.Duration) *Debugger {
	d := &Debugger{idle: idle, stepping: step, changed: make(chan struct{}), aborted: make(chan struct{})}
	d.SetBreakpoints(breakpoints)
	return d
}

// SetBreakpoints replaces the nodes that have a breakpoint, by their ids.
func (d *Debugger) SetBreakpoints(nodes []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.used = time.Now()
	d.breakpoints = make(map[string]bool, len(nodes))
	for _, id := range nodes {
		d.breakpoints[id] = true
	}
}

// Breakpoints returns the ids of the nodes that have one, sorted.
func (d *Debugger) Breakpoints() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.breakpoints))
}

// Paused returns the steps before which the run is paused, the first first, whether the run
// has ended, and what is closed when either changes.
func (d *Debugger) Paused() (list []*Pause, ended bool, changed <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.used = time.Now()
	return slices.Clone(d.paused), d.ended, d.changed
}

// Ended reports whether the run has stopped.
func (d *Debugger) Ended() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ended
}

// Continue lets the step with a key start, or the first that is paused if key is "", and the
// run execute until the next breakpoint: others that have paused for a step alone start too.
// It reports whether there was such a pause.
func (d *Debugger) Continue(key string) bool { return d.release(key, false) }

// Step is Continue until the next node.
func (d *Debugger) Step(key string) bool { return d.release(key, true) }

func (d *Debugger) release(key string, step bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.used = time.Now()
	i := slices.IndexFunc(d.paused, func(p *Pause) bool { return key == "" || p.Key == key })
	if i < 0 {
		return false
	}
	released, by := d.paused[i], ByContinue
	if d.stepping = step; step {
		by = ByStep
	}
	d.paused = slices.DeleteFunc(d.paused, func(p *Pause) bool {
		free := p == released || !step && p.Why == AtStep
		if free {
			p.by <- by
		}
		return free
	})
	d.wake()
	return true
}

// Abort ends the run before the nodes at which it is paused, or before the next one.
func (d *Debugger) Abort() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.over() {
		close(d.aborted)
	}
	d.paused, d.stepping = nil, true
	d.wake()
}

// over reports whether the run was aborted.
func (d *Debugger) over() bool {
	select {
	case <-d.aborted:
		return true
	default:
		return false
	}
}

// End says that the run has stopped.
func (d *Debugger) End() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	d.wake()
}

// wake tells who waits for a change. The caller holds mu.
func (d *Debugger) wake() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// Stop returns the pause of a step that is about to start, nil if the run does not pause
// before it. A runtime calls it on the goroutine of the step, then [Pause.Wait], and
// [Pause.Leave] in any case.
func (d *Debugger) Stop(e *Event) *Pause {
	if e.Part {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	p := &Pause{Key: e.Key, Node: e.Node, NodeType: e.Type, At: time.Now(), by: make(chan string, 1), scope: e.Scope, debug: d}
	switch {
	case d.breakpoints[e.Node]:
		p.Why = AtBreakpoint
	case d.stepping:
		p.Why = AtStep
	default:
		return nil
	}
	if d.used = p.At; !d.over() {
		d.paused = append(d.paused, p)
		d.wake()
	}
	return p
}

// Wait returns how the run continues, or why it does not: the cause of ctx, or that nobody
// has used the debugger.
func (p *Pause) Wait(ctx context.Context) (by string, err error) {
	d := p.debug
	var late <-chan time.Time
	if d.idle > 0 {
		timer := time.NewTimer(d.idle)
		defer timer.Stop()
		late = timer.C
	}
	for {
		select {
		case by = <-p.by:
			return by, nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case <-d.aborted:
			return "", p.aborted()
		case <-late:
			left := d.left()
			if left <= 0 {
				return "", p.pausedTooLong()
			}
			late = time.After(left)
		}
	}
}

// left is how long a pause may last if nobody uses the debugger from now on.
func (d *Debugger) left() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.idle - time.Since(d.used)
}

// Leave ends the pause and gives the scope back to the run, when no expression is evaluated
// on it.
func (p *Pause) Leave() {
	p.inside.Lock()
	p.over = true
	p.inside.Unlock()
	d := p.debug
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.Index(d.paused, p); i >= 0 {
		d.paused = slices.Delete(d.paused, i, i+1)
		d.wake()
	}
}

var codeDebugTimeout = diag.DefineFault("debug-timeout", diag.RefusesRequest, "a run was paused in a debugger that nobody used for 10 minutes; it is cancelled", "`resume_run` continues it at that node")

// pausedTooLong is the fault of a run that stayed paused until its time was over.
func (p *Pause) pausedTooLong() *diag.Fault {
	f := diag.Faultf(codeDebugTimeout, "the run was paused before %s, and the debugger was not used for %s", p.Key, p.debug.idle)
	f.Node, f.Err = p.Node, context.Canceled
	f.Hint = "resume_run continues the run at this node"
	return f
}

// aborted is the fault of a run that was aborted here.
func (p *Pause) aborted() *diag.Fault {
	f := diag.Faultf(diag.CodeCancelled, "the run was aborted in the debugger, before %s", p.Key)
	f.Node, f.Err = p.Node, context.Canceled
	return f
}

// Look calls f with what the expressions of the node see, and reports whether the run is
// still paused there. The scope is not to be kept, and must not be changed.
func (p *Pause) Look(f func(*expr.Scope)) bool {
	p.inside.Lock()
	defer p.inside.Unlock()
	if p.over {
		return false
	}
	f(p.scope)
	return true
}
