package downstream

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Client is who makes a call through a gateway, and can be asked for something while
// the call is in progress.
type Client interface {
	// Session tells clients apart: it is the same for all calls of one.
	Session() any
	// Answer asks the client what the server asks: elicitation/create,
	// sampling/createMessage or roots/list.
	Answer(ctx context.Context, method string, params mcp.Params) (mcp.Result, error)
}

type clientKey struct{}

// WithClient says for which client of a gateway calls are made with the context.
func WithClient(ctx context.Context, c Client) context.Context {
	return context.WithValue(ctx, clientKey{}, c)
}

// clients are those for whom calls of a session are in progress.
type clients struct {
	mu    sync.Mutex
	calls map[int]Client // nil of a call that is not of a gateway
	last  int
}

// passing notes who makes a call, until end is called, which waits for what the server
// has logged to be passed on.
func (s *session) passing(ctx context.Context) (end func()) {
	if !s.hub.options.Gateway {
		return func() {}
	}
	c, _ := ctx.Value(clientKey{}).(Client)
	p := &s.passed
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls == nil {
		p.calls = map[int]Client{}
	}
	p.last++
	id := p.last
	p.calls[id] = c
	return func() {
		s.followed.logs.await(ctx, s.over)
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.calls, id)
	}
}

// only is the client of all calls in progress, nil if there is none, or not one only:
// MCP does not say which call a request of the server belongs to.
func (p *clients) only() (one Client) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.calls {
		if c == nil || one != nil && one.Session() != c.Session() {
			return nil
		}
		one = c
	}
	return one
}

// idle reports whether no call is in progress.
func (p *clients) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls) == 0
}

// answerForClient passes what the server asks for on to the client whose call is in
// progress.
func (s *session) answerForClient(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case "elicitation/create", "sampling/createMessage", "roots/list":
		case logMethod:
			defer s.followed.logs.hear()
			return next(ctx, method, req)
		default:
			return next(ctx, method, req)
		}
		if c := s.passed.only(); c != nil {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(s.calls, cancel)()
			return c.Answer(ctx, method, req.GetParams())
		}
		if method == "roots/list" && s.passed.idle() {
			if h := s.hub.hosting(); h != nil {
				return h.Roots(ctx)
			}
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no client is there to answer " + method}
	}
}
