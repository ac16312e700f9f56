package execution

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/internal/servers"
	"github.com/patchbay-mcp/patchbay/internal/servers/downstream"
	"github.com/patchbay-mcp/patchbay/internal/servers/transport"
	"github.com/patchbay-mcp/patchbay/run"
)

// An Asker puts a question of a run to the person at a client.
type Asker func(ctx context.Context, ask Ask) (*run.Answer, error)

type askerKey struct{}

// WithAsker says who answers the questions of a run that belongs to a request, during the request.
func WithAsker(ctx context.Context, f Asker) context.Context {
	return context.WithValue(ctx, askerKey{}, f)
}

// AskerFrom returns who answers during the request, or nil.
func AskerFrom(ctx context.Context) Asker {
	asker, _ := ctx.Value(askerKey{}).(Asker)
	return asker
}

// A gatewayAsker asks the person at the client of a gateway, during its call.
type gatewayAsker struct {
	execution *Execution
	client    servers.GatewayClient
}

// Ask implements [run.Asker].
func (g gatewayAsker) Ask(ctx context.Context, _ run.Call, q run.Question) (*run.Answer, error) {
	res, err := g.client.Answer(ctx, "elicitation/create", &mcp.ElicitParams{Mode: "form", Message: q.Message, RequestedSchema: q.Schema})
	if err != nil {
		return nil, err
	}
	e, ok := res.(*mcp.ElicitResult)
	if !ok {
		return nil, fmt.Errorf("the client answered a question with %T", res)
	}
	answer := &run.Answer{Action: e.Action}
	if e.Content != nil {
		answer.Content, err = json.Marshal(e.Content)
	}
	if err == nil && q.Beyond != nil && answer.Allows() == run.AllowSession {
		if fault := g.execution.policy.PermitBeyond(*q.Beyond, run.AllowSession); fault != nil {
			return nil, fault
		}
	}
	return answer, err
}

// A GatewayCall is a call of a downstream tool that a client makes by the gateway.
type GatewayCall struct {
	Server, Tool string
	Arguments    json.RawMessage // a JSON object; nil is {}
	Passed       run.Passed
	Client       servers.GatewayClient    // who can be asked meanwhile; nil: nobody
	OnProgress   func(transport.Progress) // nil: the client does not ask for it
}

// CallDownstream makes a call that is not part of a run: it goes the same way as those
// of runs, through what [Execution.Calls] returns, but creates no run and writes nothing to the
// journal. Of the result, only Raw and IsError are set unless an interceptor has made
// it. Errors are those of [run.Caller].
func (ex *Execution) CallDownstream(ctx context.Context, c GatewayCall) (*run.Result, error) {
	if c.OnProgress != nil {
		ctx = transport.WithProgress(ctx, c.OnProgress)
	}
	if c.Client != nil {
		ctx = downstream.WithClient(ctx, c.Client)
	}
	call := run.Call{Server: c.Server, Tool: c.Tool, Args: c.Arguments, Passed: &c.Passed, Sent: !request.ActorFrom(ctx).Operator, Session: ex.policy.Session(ctx), RawOnly: true}
	if c.Client != nil {
		call.Ask = gatewayAsker{ex, c.Client}
	}
	return ex.Calls(ctx, "").CallTool(ctx, call)
}
