package execution

import (
	"maps"
	"slices"
	"sync"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// Debuggers are those of the runs of this process that are debugged by operations.
type Debuggers struct {
	execution *Execution

	mu sync.Mutex
	of map[string]*debugging
}

// debugging is the debugger of one run.
type debugging struct {
	*run.Debugger
	id, principal string
}

// add keeps the debugger of a run that an actor is about to start, and forgets those of runs
// that have ended.
func (l *Debuggers) add(id string, who run.Actor, d *run.Debugger) *debugging {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = map[string]*debugging{}
	}
	maps.DeleteFunc(l.of, func(_ string, d *debugging) bool { return d.Ended() })
	l.of[id] = &debugging{d, id, who.Principal}
	return l.of[id]
}

func (l *Debuggers) remove(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.of, id)
}

// Find returns the debugger of a run that exists for an actor.
func (l *Debuggers) Find(who run.Actor, id string) (*debugging, *diag.Fault) {
	if id == "" {
		return nil, diag.BadArgument("/run_id", "debug_run returns it", "the call has no run_id")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if d := l.of[id]; d != nil && who.Sees(d.principal) {
		return d, nil
	}
	return nil, NotPaused(id, "")
}

// list returns the debuggers of the runs that exist for an actor and have not ended, by the
// ids of the runs.
func (l *Debuggers) list(who run.Actor) (list []*debugging) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(l.of)) {
		if d := l.of[id]; who.Sees(d.principal) && !d.Ended() {
			list = append(list, d)
		}
	}
	return list
}

// NotPaused is the fault of a run, or of a step of it, that is not paused here.
func NotPaused(id, step string) *diag.Fault {
	f := diag.Faultf(CodeNotPaused, "run %s is not paused in this process", id)
	if step != "" {
		f = diag.Faultf(CodeNotPaused, "the run %s is not paused before %s", id, step)
	}
	f.Path = "/run_id"
	f.Hint = "debug_list lists what is paused; debug_run starts a run that pauses"
	return f
}
