package app

import (
	"context"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/internal/downstream"
	"github.com/patchbay-mcp/patchbay/run"
)

// A GatewayCall is a call of a downstream tool that a client makes by the gateway.
type GatewayCall struct {
	Server, Tool string
	Arguments    json.RawMessage // a JSON object; nil is {}
	Passed       run.Passed
	Client       GatewayClient             // who can be asked meanwhile; nil is nobody
	OnProgress   func(downstream.Progress) // nil: the client does not ask for it
}

// CallDownstream makes a call that is not part of a run: it goes the same way as those
// of runs, through what [App.calls] returns, but creates no run and writes nothing to the
// journal. Of the result, only Raw and IsError are set unless an interceptor has made
// it. Errors are those of [run.Caller].
func (pb *App) CallDownstream(ctx context.Context, c GatewayCall) (*run.Result, error) {
	if c.OnProgress != nil {
		ctx = downstream.WithProgress(ctx, c.OnProgress)
	}
	if c.Client != nil {
		ctx = downstream.WithClient(ctx, c.Client)
	}
	call := run.Call{Server: c.Server, Tool: c.Tool, Args: c.Arguments, Passed: &c.Passed, Sent: !actor(ctx).Operator, Session: pb.session(ctx), RawOnly: true}
	if c.Client != nil {
		call.Ask = gatewayAsker{pb, c.Client}
	}
	return pb.calls(ctx, "").CallTool(ctx, call)
}
