package app

import (
	"context"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/audit"
	"github.com/patchbay-mcp/patchbay/internal/config"
	"github.com/patchbay-mcp/patchbay/internal/runs"
)

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
func (pb *App) ReportRequest(ctx context.Context, r Request) {
	principal := actor(ctx).Principal
	if pb.slow > 0 && r.Took >= pb.slow {
		pb.log.WarnContext(ctx, "a slow request", "tool", r.Tool, "ms", milliseconds(r.Took), "bytes", r.Received, "outcome", r.Outcome, "run", r.Run, "principal", principal)
	}
	pb.audited(&audit.Entry{
		Event: audit.Request, Principal: principal, Client: clientID(ctx), Session: r.Session, Tool: r.Tool, Run: r.Run,
		Outcome: r.Outcome, Ms: milliseconds(r.Took), Sent: r.Sent, Received: r.Received,
	})
}

// reportCall does the same for a call that a run has made.
func (pb *App) reportCall(ctx context.Context, r runs.CallReport) {
	if pb.slow > 0 && r.Took >= pb.slow {
		pb.log.WarnContext(ctx, "a slow call", "server", r.Server, "tool", r.Tool, "ms", milliseconds(r.Took), "bytes", r.Received, "outcome", r.Outcome, "run", r.Run, "graph", r.Graph, "node", r.Node, "principal", r.Principal)
	}
	pb.audited(&audit.Entry{
		Event: audit.Call, Principal: r.Principal, Server: r.Server, Tool: r.Tool, Graph: r.Graph, Run: r.Run, Node: r.Node, Step: r.Step,
		Outcome: r.Outcome, Ms: milliseconds(r.Took), Sent: r.Sent, Received: r.Received,
	})
}

// audited writes an entry to the audit log. A log that cannot be written is reported, and
// the call stands.
func (pb *App) audited(e *audit.Entry) {
	if pb.audit == nil {
		return
	}
	e.Time = time.Now().UTC()
	if err := pb.audit.Write(e); err != nil {
		pb.log.Error("the audit log cannot be written", "error", err)
	}
}

// Reports reports whether a call that took so long is reported at all.
func (pb *App) Reports(took time.Duration) bool {
	return pb.audit != nil || pb.slow > 0 && took >= pb.slow
}

// openAudit opens the audit log of a configuration, nil without one. A command that looks
// for faults needs none.
func openAudit(cfg *config.Config, lenient bool) (*audit.Log, error) {
	if cfg.Log.Audit == "" || lenient {
		return nil, nil //nolint:nilnil // writes nothing
	}
	l, err := audit.Open(audit.Options{File: cfg.Log.Audit, MaxBytes: cfg.Log.AuditBytes, Keep: cfg.Log.AuditKeep})
	if err != nil {
		return nil, diag.Faultf("no-audit", "the audit log cannot be written: %v", err).WithHint("log.audit names its file; calls without it are not served")
	}
	return l, nil
}
