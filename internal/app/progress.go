package app

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/catalog"
	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/store/observed"
	"github.com/patchbay-mcp/patchbay/internal/sys/audit"
	"github.com/patchbay-mcp/patchbay/run"
)

// A CallProgress is what a server reports about a call of a run before it replies.
type CallProgress struct {
	Key string // of the call within its run: the step's key and "/call"
	downstream.Progress
}

// A Listener hears of the runs that operations start or resume, from branches and
// runs at the same time, also when the operation has returned and its run continues.
type Listener struct {
	OnEvent    func(run.Event)    // as nodes start and end, unless the input of the operation has its own
	OnProgress func(CallProgress) // as calls make progress
}

type listenerKey struct{}

// WithListener says who hears of runs.
func WithListener(ctx context.Context, l Listener) context.Context {
	return context.WithValue(ctx, listenerKey{}, l)
}

func listener(ctx context.Context) Listener {
	l, _ := ctx.Value(listenerKey{}).(Listener)
	return l
}

// heard passes on the progress of a call to who hears of its run.
func heard(ctx context.Context, key string) context.Context {
	hear := listener(ctx).OnProgress
	if hear == nil {
		return ctx
	}
	return downstream.WithProgress(ctx, func(p downstream.Progress) { hear(CallProgress{key, p}) })
}

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

// ReportRequest logs the call of a client if it was slow, and writes it to the audit log.
// Who has made it is in ctx.
func (a *App) ReportRequest(ctx context.Context, r Request) {
	principal := actor(ctx).Principal
	if a.execution.slow > 0 && r.Took >= a.execution.slow {
		a.log.WarnContext(ctx, "a slow request", "tool", r.Tool, "ms", milliseconds(r.Took), "bytes", r.Received, "outcome", r.Outcome, "run", r.Run, "principal", principal)
	}
	a.audited(&audit.Entry{
		Event: audit.Request, Principal: principal, Client: clientID(ctx), Session: r.Session, Tool: r.Tool, Run: r.Run,
		Outcome: r.Outcome, Ms: milliseconds(r.Took), Sent: r.Sent, Received: r.Received,
	})
}

// reportCall does the same for a call that a run has made.
func (a *App) reportCall(ctx context.Context, r runs.CallReport) {
	if a.execution.slow > 0 && r.Took >= a.execution.slow {
		a.log.WarnContext(ctx, "a slow call", "server", r.Server, "tool", r.Tool, "ms", milliseconds(r.Took), "bytes", r.Received, "outcome", r.Outcome, "run", r.Run, "graph", r.Graph, "node", r.Node, "principal", r.Principal)
	}
	a.audited(&audit.Entry{
		Event: audit.Call, Principal: r.Principal, Server: r.Server, Tool: r.Tool, Graph: r.Graph, Run: r.Run, Node: r.Node, Step: r.Step,
		Outcome: r.Outcome, Ms: milliseconds(r.Took), Sent: r.Sent, Received: r.Received,
	})
}

// audited writes an entry to the audit log. A log that cannot be written is reported, and
// the call stands.
func (a *App) audited(e *audit.Entry) {
	if a.execution.audit == nil {
		return
	}
	e.Time = time.Now().UTC()
	if err := a.execution.audit.Write(e); err != nil {
		a.log.Error("the audit log cannot be written", "error", err)
	}
}

// Reports reports whether a call that took so long is reported at all.
func (a *App) Reports(took time.Duration) bool {
	return a.execution.audit != nil || a.execution.slow > 0 && took >= a.execution.slow
}

var codeNoAudit = diag.DefineFault("no-audit", diag.RefusesRequest, "the file of the [audit log](observability.md#audit-log) cannot be opened", "correct `log.audit`, or its folder")

// openAudit opens the audit log of a configuration, nil without one. A command that looks
// for faults needs none.
func openAudit(cfg *config.Config, lenient bool) (*audit.Log, error) {
	if cfg.Log.Audit == "" || lenient {
		return nil, nil //nolint:nilnil // writes nothing
	}
	l, err := audit.Open(audit.Options{File: cfg.Log.Audit, MaxBytes: cfg.Log.AuditBytes, Keep: cfg.Log.AuditKeep})
	if err != nil {
		return nil, diag.Faultf(codeNoAudit, "the audit log cannot be written: %v", err).WithHint("log.audit names its file; calls without it are not served")
	}
	return l, nil
}
