package runs

import (
	"context"
	"errors"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/run"
)

// Codes of runs that were found parked: their processes have ended, or what they call is gone.
var (
	// Crashes says that the run may have ended its process, more than once. Only a decision
	// resumes it.
	Crashes = diag.DefineFault("crashes", diag.FailsAttempt, "parked: the process crashed twice during this run", "correct the graph or the server that it calls, then `runs resume`")
	// NeedsServer says that a server or tool is missing that the run calls. It is
	// resumed when it is there.
	NeedsServer = diag.DefineFault("needs-server", diag.FailsAttempt, "parked: a server or tool is missing", "start or configure the server; see `patchbay doctor`")
)

func panicked(p any) *diag.Fault {
	return diag.Faultf(diag.CodeInternalError, "internal error in Patchbay: %v", p)
}

// Cancelled is the fault of a run that somebody cancelled: by is the tool or command.
func Cancelled(by string) *diag.Fault {
	return &diag.Fault{Code: diag.CodeCancelled, Message: "the run was cancelled by " + by, Err: context.Canceled}
}

// shuttingDown is the fault of a run that is parked because the process ends.
func shuttingDown() *diag.Fault {
	return &diag.Fault{Code: run.ShuttingDown, Message: "stopped because patchbay is shutting down; the run can be resumed later", Hint: "patchbay serve with the same configuration resumes it, or resume_run {\"decision\": \"retry\"}"}
}

// callerLeft says why a run ends whose caller's context has ended. A cancellation, a
// deadline and a fault are the cause as they are. Any other cause is the end of
// the connection: the client did not cancel the run, so it is parked.
func callerLeft(ctx context.Context) error {
	cause := context.Cause(ctx)
	if _, ok := errors.AsType[*diag.Fault](cause); ok || errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded) {
		return cause
	}
	return connectionEnded(cause)
}

// connectionEnded is the fault of a run that is parked because its client has gone.
func connectionEnded(cause error) *diag.Fault {
	f := shuttingDown()
	f.Message, f.Err = "stopped because the client's connection ended; the run can be resumed later", cause
	return f
}

var CodeUnknownRun = diag.DefineFault("unknown-run", diag.RefusesRequest, "there is no run with this ID", "`patchbay runs list`")

// storeFault gives an error of the store the shape of a fault. The id is of the run
// that was asked for.
func storeFault(id string, err error) *diag.Fault {
	if f, ok := errors.AsType[*diag.Fault](err); ok {
		return f
	}
	if errors.Is(err, run.ErrNoRun) {
		return diag.Faultf(CodeUnknownRun, "unknown run %q", id).WithHint("patchbay runs list shows the saved runs")
	}
	return &diag.Fault{Code: diag.CodeJournalFailed, Message: "the runs cannot be read: " + err.Error(), Err: err}
}

// A Remote is a [Runner] whose runs execute in other processes, the workers.
type Remote interface {
	Runner
	// Work executes runs and makes their calls, as far as the role says, until ctx ends. Other
	// workers take over what it has not completed. The error says why it cannot.
	Work(ctx context.Context, r Role) error
	// Examine says how everything stands that the runs need: the connection, the workers,
	// and the runs in progress. It takes a few seconds at most.
	Examine(ctx context.Context) []Finding
}

// A Role says what a worker does. The zero Role does nothing.
type Role struct {
	Walk bool // decides what each run does next
	Call bool // calls downstream servers and requests
}

// A Finding is something that [Remote.Examine] has found.
type Finding struct {
	OK   bool
	What string
	Hint string // what to do about it
}

// Look implements [Runner].
func (l *Local) Look(ctx context.Context, actor run.Actor, id string) (*run.Record, *diag.Fault) {
	rec, fault := l.stored(actor, id)
	if fault != nil || l.o.CompileAlone == nil || !local.HasLost(rec) {
		return rec, fault
	}
	plan, fault := l.o.CompileAlone(ctx, rec.Source)
	if fault != nil { // what is lost stays lost
		return rec, nil
	}
	local.Complete(ctx, plan, rec)
	return rec, nil
}
