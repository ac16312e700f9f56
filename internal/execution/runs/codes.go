package runs

import "github.com/patchbay-mcp/patchbay/diag"

// Codes of faults of runs on Temporal, which a module of its own makes.
var (
	CodeBadRuntime         = diag.DefineFault("bad-runtime", diag.RefusesRequest, "a file of `runtime.temporal.tls` cannot be used", "name a PEM file that this user can read")
	CodeNoWorker           = diag.DefineFault("no-worker", diag.RefusesRequest, "no worker answers how a run on Temporal stands", "start one: `patchbay-temporal worker`")
	CodeNobodyAsked        = diag.DefineFault("nobody-asked", diag.RefusesRequest, "a server asks something during a call of a run on Temporal in which nobody is asked", "start the run where a person can answer")
	CodeStateUnknown       = diag.DefineFault("state-unknown", diag.FailsAttempt, "on Temporal: the worker that changed state was lost, and so many changes were made since that it is not known whether that one was", "`patchbay state list`, then decide with `patchbay runs resume`")
	CodeValueNotStored     = diag.DefineFault("value-not-stored", diag.RefusesRequest, "a value of a run on Temporal is too large for a history, and `runtime.temporal.blobs` does not store it", "make it work, which `patchbay-temporal doctor` checks; a run whose record cannot be stored continues by itself then, a failed step is resumed with a decision")
	CodeValueTooLarge      = diag.DefineFault("value-too-large", diag.RefusesRequest, "a value of a run on Temporal is too large for a history and no store is configured, or it is larger than the 1 GiB that the store takes", "set `runtime.temporal.blobs` for every worker, or pass less from node to node")
	CodeNotOnTemporal      = diag.DefineFault("not-on-temporal", diag.RefusesRequest, "runs on Temporal [do not have this](temporal.md#differences)", "use a configuration without `runtime` for it")
	CodeRunBlocked         = diag.DefineFault("run-blocked", diag.RefusesRequest, "workers fail to continue a run on Temporal, and try again", "correct what the message says; where it names non-determinism, start a worker of the version that began the run")
	CodeRuntimeUnreachable = diag.DefineFault("runtime-unreachable", diag.RefusesRequest, "Temporal does not answer or refuses the request, or the namespace does not exist", "what has started continues when the service is back; `patchbay-temporal doctor` checks the connection")
)
