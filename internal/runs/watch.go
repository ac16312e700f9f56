package runs

import (
	"time"

	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// A tell tells of the events of a run; it is nil where nobody watches.
type tell func(run.Notice)

// watch has who watches runs told of one that begins to execute, or continues as was decided
// at a time.
func (l *Local) watch(graph string, resumed time.Time, o *local.Options) tell {
	if l.o.Watch == nil {
		return nil
	}
	t := tell(l.o.Watch(o.ID))
	if t == nil {
		return nil
	}
	id, principal, next := o.ID, o.Principal, o.OnEvent
	o.OnEvent = func(e run.Event) {
		t(e.Notice(id, graph, principal))
		if next != nil {
			next(e)
		}
	}
	if !o.NewRun {
		t(run.Notice{Type: run.RunResumed, Run: id, Graph: graph, Principal: principal, At: resumed})
	}
	return t
}

// stopped tells how the run has stopped.
func (t tell) stopped(rec *run.Record) {
	if t != nil {
		t(rec.Stopped())
	}
}

// paused returns what tells of the pauses of a debugger.
func (t tell) paused(graph string, o *local.Options) func(run.Notice) {
	if t == nil {
		return nil
	}
	id, principal := o.ID, o.Principal
	return func(n run.Notice) {
		n.Run, n.Graph, n.Principal = id, graph, principal
		t(n)
	}
}
