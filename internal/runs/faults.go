package runs

import (
	"context"
	"errors"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// Codes of parked runs.
const (
	// Crashes says that the run may have ended its process, more than once. Only a decision
	// resumes it.
	Crashes = "crashes"
	// NeedsServer says that a server or tool is missing that the run calls. It is
	// resumed when it is there.
	NeedsServer = "needs-server"
)

// internalError is the code of a run that panicked.
const internalError = "internal-error"

func panicked(p any) *diag.Fault {
	return diag.Faultf(internalError, "internal error in Patchbay: %v", p)
}

// Cancelled is the fault of a run that somebody cancelled: by is the tool or command.
func Cancelled(by string) *diag.Fault {
	return &diag.Fault{Code: "cancelled", Message: "the run was cancelled by " + by, Err: context.Canceled}
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

// storeFault gives an error of the store the shape of a fault. The id is of the run
// that was asked for.
func storeFault(id string, err error) *diag.Fault {
	if f, ok := errors.AsType[*diag.Fault](err); ok {
		return f
	}
	if errors.Is(err, run.ErrNoRun) {
		return diag.Faultf("unknown-run", "unknown run %q", id).WithHint("patchbay runs list shows the saved runs")
	}
	return &diag.Fault{Code: "journal-failed", Message: "the runs cannot be read: " + err.Error(), Err: err}
}
