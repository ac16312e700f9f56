package mcpserver

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/propagation"

	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/request"
	"github.com/patchbay-mcp/patchbay/run"
)

// followsRuns are the tools that are published with graphs only, too: the reply to a
// call whose run continues names them.
var followsRuns = map[string]bool{"get_run": true, "cancel_run": true}

// codeKey is that of whether the client is code that this program has written, which gets
// whole values.
type codeKey struct{}

// asClient says for whom requests are handled, and how long their replies wait: those to
// clients that have tasks until they can be a task.
func asClient(o Options, t taskMethods) step {
	return func(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
		who, name := run.Actor{Principal: principal(req)}, clientName(req)
		ctx = context.WithValue(ctx, codeKey{}, name == "patchbay-typescript")
		if id := httpd.Caller(req); id != nil {
			name = id.Principal
			ctx = request.WithRights(ctx, &id.Rights)
		}
		ctx = request.WithClientID(request.WithActor(ctx, who), name)
		if method == "tools/call" {
			c := request.Client{Wait: o.Wait, Answers: true, Peer: peer(req)}
			if sessions := o.Sessions; sessions != nil {
				c.Session, c.OnDisconnect = sessions.of(req.GetSession()), sessions.onDisconnect
			}
			ctx = request.WithClient(ctx, c)
			if asker := requestAsker(req); asker != nil {
				ctx = execution.WithAsker(ctx, asker)
			}
			withOffer, offer := withTasks(ctx, req, c, o.TaskAfter)
			res, err := next(withOffer, method, req)
			if err == nil && offer != nil && offer.task != "" {
				return t.created(ctx, offer.task)
			}
			return res, err
		}
		return next(ctx, method, req)
	}
}

// peer tells the session of a request from others, "" if it has none.
func peer(req mcp.Request) string {
	switch s, extra := req.GetSession(), req.GetExtra(); {
	case s != nil && s.ID() != "":
		return s.ID()
	case extra == nil || extra.Header == nil: // not over HTTP, where a connection is a session
		return "connection"
	}
	return ""
}

// principal is who makes a request.
func principal(req mcp.Request) string {
	if id := httpd.Caller(req); id != nil {
		return id.Principal
	}
	return request.Local.Principal
}

// requestAsker asks the person at the client of a request during the request, nil if the client
// cannot: those of the newer protocol are asked by the reply.
func requestAsker(req mcp.Request) execution.Asker {
	session, _ := req.GetSession().(*mcp.ServerSession)
	init := opened(req)
	if init == nil || !showsForms(init.Capabilities) || init.ProtocolVersion >= multiRoundTrip {
		return nil
	}
	return func(ctx context.Context, ask execution.Ask) (*run.Answer, error) {
		e, err := session.Elicit(ctx, form(ask))
		if err != nil {
			return nil, err
		}
		answer := &run.Answer{Action: e.Action}
		if e.Content != nil {
			if answer.Content, err = json.Marshal(e.Content); err != nil {
				return nil, err
			}
		}
		return answer, nil
	}
}

// inTrace makes a call part of the trace that the client names, in _meta or in the
// headers of its request.
func inTrace(ctx context.Context, method string, req mcp.Request, next mcp.MethodHandler) (mcp.Result, error) {
	if method != "tools/call" {
		return next(ctx, method, req)
	}
	w3c := propagation.TraceContext{}
	if extra := req.GetExtra(); extra != nil && extra.Header != nil {
		ctx = w3c.Extract(ctx, propagation.HeaderCarrier(extra.Header))
	}
	if params, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok && params != nil && len(params.Meta) > 0 {
		meta := propagation.MapCarrier{}
		for _, key := range w3c.Fields() {
			if text, ok := params.Meta[key].(string); ok {
				meta[key] = text
			}
		}
		ctx = w3c.Extract(ctx, meta)
	}
	return next(ctx, method, req)
}
