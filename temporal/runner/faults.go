package runner

import (
	"context"
	"errors"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/execution/runs"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
	"github.com/patchbay-mcp/patchbay/temporal/wire"
)

// patience is how long one request to the service may take.
const patience = 10 * time.Second

func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), patience)
}

// fault says why a request about a run could not be done.
func (r *Runner) fault(id string, err error) *diag.Fault {
	if refused, ok := errors.AsType[*temporal.ApplicationError](err); ok && refused.Type() == wire.ErrorType {
		var f wire.Fault
		if refused.Details(&f) == nil && f.Diag() != nil {
			return f.Diag()
		}
	}
	if f, ok := errors.AsType[*diag.Fault](err); ok {
		return f
	}
	if _, ok := errors.AsType[*serviceerror.NamespaceNotFound](err); ok {
		f := diag.Faultf(runs.CodeRuntimeUnreachable, "Temporal at %s has no namespace %q", r.t.Address, r.t.Namespace)
		f.Path, f.Hint = "/runtime/temporal/namespace", "create it: temporal operator namespace create --namespace "+r.t.Namespace
		return f
	}
	if _, ok := errors.AsType[*serviceerror.NotFound](err); ok || errors.Is(err, run.ErrNoRun) {
		f := diag.Faultf(runs.CodeUnknownRun, "unknown run %q", id)
		f.Hint = "patchbay runs list shows the saved runs"
		return f
	}
	if _, ok := errors.AsType[*serviceerror.PermissionDenied](err); ok {
		f := diag.Faultf(runs.CodeRuntimeUnreachable, "Temporal at %s refuses the request: %w", r.t.Address, err)
		f.Path, f.Hint = "/runtime/temporal", "correct apiKey or tls, and the rights that they have in the namespace "+r.t.Namespace
		return f
	}
	f := diag.Faultf(runs.CodeRuntimeUnreachable, "Temporal at %s does not answer: %w", r.t.Address, err)
	f.Path, f.Hint = "/runtime/temporal/address", "what has started continues when the service is back; patchbay-temporal doctor checks the connection"
	if id != "" {
		f.Hint = "when the service is back, the run continues if it has started: patchbay-temporal runs show " + id
	}
	return f
}

// noWorker is the fault of a request that only a worker can answer.
func (r *Runner) noWorker(id string, err error) *diag.Fault {
	f := diag.Faultf(runs.CodeNoWorker, "no worker of the task queue %q says how the run %s stands", r.t.TaskQueue, id)
	if failed, ok := errors.AsType[*serviceerror.QueryFailed](err); ok {
		f.Message += ": " + failed.Message
	}
	f.Err, f.Hint = err, "the run is kept, and continues when there is a worker: patchbay-temporal worker"
	return f
}

// leaves says why a run ends whose caller's context has ended, nil if it continues: the
// client did not cancel it.
func leaves(ctx context.Context) *diag.Fault {
	cause := context.Cause(ctx)
	if f, ok := errors.AsType[*diag.Fault](cause); ok {
		return f
	}
	switch {
	case errors.Is(cause, context.DeadlineExceeded):
		return &diag.Fault{Code: run.CodeTimeLimit, Message: "the time of the caller is over", Err: cause}
	case errors.Is(cause, context.Canceled):
		return &diag.Fault{Code: diag.CodeCancelled, Message: "the run was cancelled by its caller", Err: cause}
	}
	return nil
}

// offeredNot is the fault of an operation that runs on Temporal do not have.
func offeredNot(what string) *diag.Fault {
	f := diag.Faultf(runs.CodeNotOnTemporal, "%s with runs on Temporal", what)
	f.Hint = "docs/temporal.md has a table of the differences"
	return f
}
