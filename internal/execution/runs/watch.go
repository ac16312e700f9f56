package runs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/run"
)

// A tell tells of the events of a run; it is nil without watchers.
type tell func(run.Notice)

// watch has who watches runs told of one that begins to execute, or continues as was decided
// at a time.
func (l *Local) watch(graph string, resumed time.Time, o *local.Options) tell {
	if l.o.Observer.Watch == nil {
		return nil
	}
	t := tell(l.o.Observer.Watch(o.ID))
	if t == nil {
		return nil
	}
	id, principal, next := o.ID, o.Principal, o.Observer.Event
	o.Observer.Event = func(e run.Event) {
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

// keeper is the share of memory that a run keeps its values in.
type keeper struct {
	share admission.Share
	end   context.CancelCauseFunc // of the run
}

// Keep implements [local.Keeper]. Where there is no memory, all branches of the run
// end, whatever the graph says about failures.
func (k *keeper) Keep(ctx context.Context, bytes int64) error {
	err := k.share.Keep(ctx, bytes)
	var why string
	switch large, tooLarge := errors.AsType[*admission.TooLarge](err); {
	case err == nil:
		return nil
	case tooLarge:
		why = fmt.Sprintf("the run keeps %s of inputs and outputs, more than the %s for all runs together", diag.Bytes(large.Bytes), diag.Bytes(large.Most))
	case errors.Is(err, admission.ErrMost):
		why = fmt.Sprintf("all runs wait for memory, and this one keeps most: %s of inputs and outputs of the %s for all runs together", diag.Bytes(bytes), diag.Bytes(k.share.Most()))
	default:
		return err
	}
	fault := &diag.Fault{
		Code: diag.CodeTooMuchMemory, Message: why + " (half of limits.memoryMB)",
		Hint: "pass less from node to node, or do less in one run; the operator sets limits.memoryMB",
	}
	k.end(fault)
	return fault
}
