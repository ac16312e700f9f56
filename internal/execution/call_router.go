package execution

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/engine/local"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/egress"
	"github.com/patchbay-mcp/patchbay/run"
)

// callRouter makes the calls of a run: tools of downstream servers, the HTTP requests
// that the operator allows, and scripts.
type callRouter struct {
	tools   run.Caller // nil: there are none
	denied  func(server, tool string) *diag.Fault
	changed func(server, tool string) *diag.Fault                      // of a tool whose change waits for a person, with the change
	listed  func(ctx context.Context, server, tool string) *diag.Fault // of a tool that is not as it was listed
	permit  func(ctx context.Context, c run.Call) error
	ready   func(ctx context.Context, server string) *diag.Fault
	egress  *egress.Client
	models  func(ctx context.Context, c run.Call) (*run.Result, error) // asks models; nil: there are none
	hooks   run.Caller                                                 // executes scripts; nil: there are none
}

// CallTool implements [engine.Caller].
func (o *callRouter) CallTool(ctx context.Context, c run.Call) (*run.Result, error) {
	switch {
	case c.Server == run.HTTPServer:
		if c.Marked {
			if err := o.permit(ctx, c); err != nil {
				return nil, &run.CallError{Outcome: run.CallNotSent, Err: err}
			}
		}
		answer, ok, err := o.egress.Do(ctx, c.Args, c.Idempotency)
		if err != nil {
			return nil, err
		}
		return &run.Result{Structured: answer, IsError: !ok, Unknown: !ok && fromGateway(answer)}, nil
	case c.Server == run.ModelServer && o.models != nil:
		return o.models(ctx, c)
	case c.Server == run.HookServer && o.hooks != nil:
		return o.hooks.CallTool(ctx, c)
	case o.tools == nil:
		return nil, &run.CallError{Outcome: run.CallNotSent, Err: diag.Faultf(local.CodeNoServers, "no downstream server is connected, so %s/%s cannot be called", c.Server, c.Tool)}
	}
	if r := request.GivenRights(ctx); r != nil && r.Denies(c.Server, c.Tool) { // also in a graph that was checked for somebody else
		return nil, &run.CallError{Outcome: run.CallNotSent, Err: downstream.UnknownServer(c.Server, nil)}
	}
	if fault := o.denied(c.Server, c.Tool); fault != nil {
		return nil, &run.CallError{Outcome: run.CallNotSent, Err: fault}
	}
	if c.RawOnly {
		if fault := o.listed(ctx, c.Server, c.Tool); fault != nil {
			return nil, &run.CallError{Outcome: run.CallNotSent, Err: fault}
		}
	}
	_ = o.ready(ctx, c.Server) // the call says what is wrong with it
	if err := o.permit(ctx, c); err != nil {
		return nil, &run.CallError{Outcome: run.CallNotSent, Err: err}
	}
	res, err := o.tools.CallTool(request.Heard(ctx, c.Key), c)
	if err != nil {
		o.explain(err, c)
	}
	return res, err
}

// explain adds to the fault of a tool that waits for a person what has changed.
func (o *callRouter) explain(err error, c run.Call) {
	f, ok := errors.AsType[*diag.Fault](err)
	if !ok || f.Code != diag.CodeToolChanged || o.changed == nil {
		return
	}
	if full := o.changed(c.Server, c.Tool); full != nil {
		f.Got = full.Got
	}
}

// fromGateway reports whether the answer to a request is not that of its server.
func fromGateway(answer json.RawMessage) bool {
	var a struct {
		Status int `json:"status"`
	}
	return json.Unmarshal(answer, &a) == nil && egress.FromGateway(a.Status)
}
