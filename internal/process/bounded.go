package process

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
)

// maxPathBytes is the longest JSON Pointer in a patch of a reply: only a key of
// kilobytes makes a longer one.
const maxPathBytes = 4 << 10

// Bounded returns a diagnostic for a reply, in which names that are as long as a
// document are cut. A fix whose patch has such a name is left without the patch;
// apply_fixes can still apply it.
func Bounded(d *diag.Diagnostic) *diag.Diagnostic {
	short := *d
	short.Path, short.Node = diag.Brief(d.Path), diag.Brief(d.Node)
	short.Message, short.Hint = diag.Brief(d.Message), diag.Brief(d.Hint)
	short.Related = slices.Clone(d.Related)
	for i, r := range d.Related {
		short.Related[i].Path, short.Related[i].Message = diag.Brief(r.Path), diag.Brief(r.Message)
	}
	short.Fixes = slices.Clone(d.Fixes)
	for i, f := range d.Fixes {
		short.Fixes[i].Title = diag.Brief(f.Title)
		if slices.ContainsFunc(f.Patch, func(op diag.PatchOp) bool { return len(op.Path) > maxPathBytes || len(op.From) > maxPathBytes }) {
			short.Fixes[i].Patch = nil
		}
	}
	return &short
}

// Load is what the work of an App has in use: its turns and reserved memory, and the
// memory of what its runs keep.
type Load struct {
	admission.State
	Runs admission.PoolState
}

// Load returns what is in use.
func (p *Process) Load() Load { return Load{p.Queue.State(), p.Pool.State()} }

// workShare is the part of the memory limit that work may reserve, in quarters: the
// rest is for the catalog. Half of the limit is for what runs keep, which seldom is
// full when all that may be reserved is used.
const workShare = 3

// Compute calls f when it is the turn of ctx's request, with so many bytes reserved for
// it. Work that ctx belongs to is continued: it has the turn then, and gets the bytes
// if it has reserved none. f must not wait for a run. The fault says that there is not
// so much memory, or that ctx has ended.
func (p *Process) Compute(ctx context.Context, bytes int64, f func(context.Context)) *diag.Fault {
	turn := admission.From(ctx)
	if turn == nil {
		c := request.Peer(ctx)
		work := &admission.Work{Context: ctx, Turn: p.Queue.Turn(c.Of(request.ActorFrom(ctx).Principal), admission.NewRequest())}
		defer work.Turn.End()
		ctx, turn = work, &work.Turn
	}
	reserved, err := turn.Reserve(ctx, bytes)
	defer turn.Return(reserved)
	if err == nil {
		err = turn.Enter(ctx)
	}
	if large, ok := errors.AsType[*admission.TooLarge](err); ok {
		return &diag.Fault{
			Code: diag.CodeTooMuchMemory, Message: fmt.Sprintf("this may take %s of memory, more than the %s there are", diag.Bytes((large.Bytes+1<<20-1)>>20<<20), diag.Bytes(large.Most)),
			Hint: "send less at once; the operator sets limits.memoryMB",
		}
	}
	if err != nil {
		return &diag.Fault{Code: diag.CodeCancelled, Message: "the request was cancelled before its turn", Err: err}
	}
	f(ctx)
	return nil
}

// OutsideTurn calls f, which waits for something else than the processors, without the
// turn of ctx's work.
func OutsideTurn(ctx context.Context, f func() *diag.Fault) *diag.Fault {
	turn := admission.From(ctx)
	turn.Pause()
	fault := f()
	if err := turn.Enter(ctx); err != nil && fault == nil {
		return &diag.Fault{Code: diag.CodeCancelled, Message: "the request was cancelled", Err: err}
	}
	return fault
}
