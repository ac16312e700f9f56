package execution

import (
	"context"

	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/internal/execution/runs"
	"github.com/patchbay-mcp/patchbay/internal/plans"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/sys/admission"
	"github.com/patchbay-mcp/patchbay/run"
)

// Calls is what calls reach: downstream servers, and the web. Every call that leaves for
// a downstream tool passes here, whoever makes it: run_graph, run_node, a saved tool or
// a client of the gateway ([Execution.CallDownstream]).
//
// In front of everything is Around, which runs workflows around calls. A call
// of the gateway is RawOnly: of its result, only Raw and IsError are set unless a workflow
// has changed it.
func (ex *Execution) Calls(ctx context.Context, mode string) run.Caller {
	c := &callRouter{
		models: ex.servers.AskModel,
		egress: ex.servers.Egress, hooks: ex.Hooks, ready: ex.servers.AwaitServer, denied: ex.policy.Denial, changed: ex.plans.Tools.Changed, listed: ex.plans.Tools.AsListed, permit: ex.policy.Permit,
	}
	if own, is := plans.InTest(ctx); is {
		c.permit = func(_ context.Context, c run.Call) error { return ex.policy.PermitInTest(own, c) }
		c.models = noModel
	}
	switch {
	case ex.servers.Hub == nil:
	case ex.plans.Seen == nil:
		c.tools = ex.servers.Hub
	default:
		c.tools = &observingCaller{next: ex.servers.Hub, from: ex.plans.Seen, snap: ex.plans.Catalog.Snapshot()}
	}
	tools := &plans.ToolResolver{Plans: ex.plans, Ctx: request.ForOperator(admission.Without(ctx))} // branches that call hold turns of their own
	var next run.Caller = c
	switch {
	case mode == run.DryRun:
		next = local.DryRun(c, tools)
	case ctx.Value(readOnlyKey{}) != nil:
		next = &readOnlyCaller{next: c, tools: tools}
	}
	if ex.Around == nil {
		return next
	}
	return ex.Around(mode, next, c)
}

// Recover resumes the runs of the project that an earlier process left. It returns
// when it has found them; they execute in the background. Those that a missing server
// stops are resumed when a server becomes ready.
func (ex *Execution) Recover() {
	ex.recovers.Store(true)
	ex.Runner.Recover()
}

// ServerReady resumes the runs that wait for a server.
func (ex *Execution) ServerReady(string) {
	if ex.recovers.Load() {
		ex.process.Background(ex.Runner.Recover)
	}
}

// Crashes is the code of a parked run that may have ended its process, more than once.
var Crashes = runs.Crashes

// The outcomes of node executions.
const (
	NodeSucceeded = runs.NodeSucceeded
	NodeFailed    = runs.NodeFailed
	NodeCaught    = runs.NodeCaught
)
