package downstream

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/servers/transport"
	"github.com/patchbay-mcp/patchbay/run"
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

// passing are the calls of a session that are in progress, as far as a request of the
// server can belong to them.
type passing struct {
	mu      sync.Mutex
	calls   map[int]*inProgress
	last    int           // of the numbers of calls and questions
	open    []*question   // whose call is not known yet, in the order of their arrival
	changed chan struct{} // closed when a call has ended, or a question is open or not any more; nil while no goroutine waits
}

// inProgress is a call in progress.
type inProgress struct {
	id     int
	ctx    context.Context //nolint:containedctx // of the call
	call   run.Call        // zero of other requests
	client Client          // of a gateway, nil of other calls
	asker  run.CallAsker   // nil: no person can be asked
	asked  int             // questions so far
	waits  int             // of these, how many wait for an answer
	ended  bool
}

// of is the client of the call, nil if it has none.
func (c *inProgress) of() Client {
	if c == nil {
		return nil
	}
	return c.client
}

// inProgress notes a call until end is called, which waits for what the server has logged
// to be passed on.
func (s *session) inProgress(ctx context.Context, call run.Call) (end func()) {
	if !s.hub.options.Gateway && s.protocol > legacy {
		return func() {} // its server does not ask during calls
	}
	c := &inProgress{ctx: ctx, call: call}
	c.client, _ = ctx.Value(clientKey{}).(Client)
	c.asker, _ = call.Ask.(run.CallAsker)
	s.passed.add(c)
	return func() {
		if s.followed.Logs != nil {
			s.followed.Logs.Await(ctx, s.over)
		}
		s.passed.remove(c)
	}
}

func (p *passing) add(c *inProgress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls == nil {
		p.calls = map[int]*inProgress{}
	}
	p.last++
	c.id = p.last
	p.calls[c.id] = c
}

func (p *passing) remove(c *inProgress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.ended = true
	delete(p.calls, c.id)
	p.tell()
}

// only is a call of the client of all calls in progress, nil unless it is one
// only: MCP does not say which call a request of the server belongs to.
func (p *passing) only() (one *inProgress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.calls {
		if c.client == nil || one != nil && one.client.Session() != c.client.Session() {
			return nil
		}
		one = c
	}
	return one
}

// idle reports whether no call is in progress.
func (p *passing) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls) == 0
}

// ofRuns reports whether a call of a run is in progress that is not made for a client of a
// gateway.
func (p *passing) ofRuns() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.calls {
		if c.client == nil {
			return true
		}
	}
	return false
}

// answerServer answers what the server asks for while calls are in progress: the client of
// a gateway does, or, for the call of a run, the person whom the run can ask.
func (s *session) answerServer(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		gateway := s.hub.options.Gateway
		switch {
		case method == "elicitation/create" && (!gateway || s.passed.ofRuns()):
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(s.calls, cancel)()
			return s.elicit(ctx, req.GetParams())
		case !gateway:
			return next(ctx, method, req)
		case method == transport.LogMethod:
			defer s.followed.Logs.Hear()
			return next(ctx, method, req)
		case method != "elicitation/create" && method != "sampling/createMessage" && method != "roots/list":
			return next(ctx, method, req)
		}
		if c := s.passed.only(); c != nil {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(s.calls, cancel)()
			if method == "elicitation/create" {
				defer s.passed.attend(s.passed.arrive(), c, func() {})()
			}
			return c.client.Answer(ctx, method, req.GetParams())
		}
		if method == "roots/list" && s.passed.idle() {
			if h := s.hub.hosting(); h != nil {
				return h.Roots(ctx)
			}
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no client is there to answer " + method}
	}
}
