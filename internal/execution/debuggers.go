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
func (ds *Debuggers) add(id string, who run.Actor, d *run.Debugger) *debugging {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.of == nil {
		ds.of = map[string]*debugging{}
	}
	maps.DeleteFunc(ds.of, func(_ string, d *debugging) bool { return d.Ended() })
	ds.of[id] = &debugging{d, id, who.Principal}
	return ds.of[id]
}

func (ds *Debuggers) remove(id string) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	delete(ds.of, id)
}

// Find returns the debugger of a run that exists for an actor.
func (ds *Debuggers) Find(who run.Actor, id string) (*debugging, *diag.Fault) {
	if id == "" {
		return nil, diag.BadArgument("/run_id", "debug_run returns it", "the call has no run_id")
	}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if d := ds.of[id]; d != nil && who.Sees(d.principal) {
		return d, nil
	}
	return nil, NotPaused(id, "")
}

// list returns the debuggers of the runs that exist for an actor and have not ended, by the
// ids of the runs.
func (ds *Debuggers) list(who run.Actor) (list []*debugging) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(ds.of)) {
		if d := ds.of[id]; who.Sees(d.principal) && !d.Ended() {
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
