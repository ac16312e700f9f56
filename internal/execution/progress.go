package execution

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/reply"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/store/observed"
	"github.com/patchbay-mcp/patchbay/internal/sys/audit"
	"github.com/patchbay-mcp/patchbay/run"
)

// observingCaller is a caller that learns from the results of tools without an output
// schema.
type observingCaller struct {
	next run.Caller
	from *observed.Store
	snap *catalog.Snapshot
}

func (o *observingCaller) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	res, err := o.next.CallTool(ctx, c)
	if err != nil || c.RawOnly || res.IsError || res.Simulated != "" {
		return res, err
	}
	spec := o.snap.Tool(c.Server, c.Tool)
	if spec == nil || len(spec.OutputSchema) > 0 || !o.from.Wants(spec, res) {
		return res, nil
	}
	if output, unreadable := engine.Unwrap(res); unreadable == nil && output != nil {
		o.from.Add(spec, output)
	}
	return res, nil
}

// reports log slow requests and calls, and write the audit log.
type reports struct {
	execution *Execution
	slow      time.Duration // calls that take as long are logged; 0 logs none
	Audit     *audit.Log    // nil: none
}

// A Request is what is reported of a client's call of a tool: neither its arguments nor
// its result.
type Request struct {
	Tool           string // "unknown" for one that does not exist
	Session        string // "" without one
	Outcome        string // ok, or the code of what went wrong
	Run            string // that the call has started, if it is known
	Took           time.Duration
	Sent, Received int // bytes of the arguments and of the result
}

// Request logs the call of a client if it was slow, and writes it to the audit log.
// Who has made it is in ctx.
func (rp *reports) Request(ctx context.Context, r Request) {
	principal := request.ActorFrom(ctx).Principal
	if rp.slow > 0 && r.Took >= rp.slow {
		rp.execution.process.Log.WarnContext(ctx, "a slow request", "tool", r.Tool, "ms", reply.Milliseconds(r.Took), "bytes", r.Received, "outcome", r.Outcome, "run", r.Run, "principal", principal)
	}
	rp.audited(&audit.Entry{
		Event: audit.Request, Principal: principal, Client: request.ClientName(ctx), Session: r.Session, Tool: r.Tool, Run: r.Run,
		Outcome: r.Outcome, Ms: reply.Milliseconds(r.Took), Sent: r.Sent, Received: r.Received,
	})
}

// Call does the same for a call that a run has made.
func (rp *reports) Call(ctx context.Context, r runs.CallReport) {
	if rp.slow > 0 && r.Took >= rp.slow {
		rp.execution.process.Log.WarnContext(ctx, "a slow call", "server", r.Server, "tool", r.Tool, "ms", reply.Milliseconds(r.Took), "bytes", r.Received, "outcome", r.Outcome, "run", r.Run, "graph", r.Graph, "node", r.Node, "principal", r.Principal)
	}
	rp.audited(&audit.Entry{
		Event: audit.Call, Principal: r.Principal, Server: r.Server, Tool: r.Tool, Graph: r.Graph, Run: r.Run, Node: r.Node, Step: r.Step,
		Outcome: r.Outcome, Ms: reply.Milliseconds(r.Took), Sent: r.Sent, Received: r.Received,
	})
}

// audited writes an entry to the audit log. A log that cannot be written is reported, and
// the call stands.
func (rp *reports) audited(e *audit.Entry) {
	if rp.Audit == nil {
		return
	}
	e.Time = time.Now().UTC()
	if err := rp.Audit.Write(e); err != nil {
		rp.execution.process.Log.Error("the audit log cannot be written", "error", err)
	}
}

// Wants reports whether a call that took so long is reported at all.
func (rp *reports) Wants(took time.Duration) bool {
	return rp.Audit != nil || rp.slow > 0 && took >= rp.slow
}

var codeNoAudit = diag.DefineFault("no-audit", diag.RefusesRequest, "the file of the [audit log](observability.md#audit-log) cannot be opened", "correct `log.audit`, or its folder")

// OpenAudit opens the audit log of a configuration, nil without one. A command that looks
// for faults needs none.
func OpenAudit(cfg *config.Config, lenient bool) (*audit.Log, error) {
	if cfg.Log.Audit == "" || lenient {
		return nil, nil //nolint:nilnil // writes nothing
	}
	l, err := audit.Open(audit.Options{File: cfg.Log.Audit, MaxBytes: cfg.Log.AuditBytes, Keep: cfg.Log.AuditKeep})
	if err != nil {
		return nil, diag.Faultf(codeNoAudit, "the audit log cannot be written: %v", err).WithHint("log.audit names its file; calls without it are not served")
	}
	return l, nil
}
