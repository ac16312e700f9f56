package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/execution"
	"github.com/patchbay-mcp/patchbay/run"
)

// maxParked is how long a call waits for a client of the newer protocol to send it again
// with the answer to a question.
const maxParked = 10 * time.Minute

// parkedCalls are calls of servers of older protocols that ask a question meanwhile, for
// clients of the newer one: such a client gets the question as the reply, and sends the
// call again with the answer.
type parkedCalls struct {
	states states

	mu    sync.Mutex
	calls map[string]*parkedCall
}

// A parkedCall goes on while its client answers.
type parkedCall struct {
	session *mcp.ServerSession
	ended   chan struct{} // closed when res and err are there
	res     *run.Result
	err     error
	cancel  context.CancelFunc
	asks    chan *parkedAsk
	waiting *parkedAsk // that the client has been sent
}

type parkedAsk struct {
	params *mcp.ElicitParams
	answer chan *mcp.ElicitResult
}

// Session implements [servers.GatewayClient].
func (p *parkedCall) Session() any { return p }

// Answer implements [servers.GatewayClient]: the client is asked by the reply.
func (p *parkedCall) Answer(ctx context.Context, method string, params mcp.Params) (mcp.Result, error) {
	e, ok := params.(*mcp.ElicitParams)
	if init := p.session.InitializeParams(); !ok || init == nil || init.Capabilities == nil || init.Capabilities.Elicitation == nil || e.Mode != "url" && !showsForms(init.Capabilities) {
		return nil, cannot(method)
	}
	ask := &parkedAsk{e, make(chan *mcp.ElicitResult, 1)}
	select {
	case p.asks <- ask:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case r := <-ask.answer:
		return r, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// callParking makes a call for a client of the newer protocol.
func (g *gateway) callParking(ctx context.Context, req *mcp.CallToolRequest, c execution.GatewayCall) (mcp.Result, error) {
	p, own := g.parked.take(req)
	switch {
	case p != nil:
		if answer, ok := req.Params.InputResponses[questionKey].(*mcp.ElicitResult); ok {
			p.waiting.answer <- answer
		} else {
			p.waiting.answer <- &mcp.ElicitResult{Action: "cancel"}
		}
		p.waiting = nil
	case own:
		return failed(ctx, diag.Faultf(diag.CodeCallRefused, "the call that asked this question is over; call the tool again"))
	case c.Passed.Capabilities == nil: // it cannot be asked
		c.Client = &gatewayClient{ctx: ctx, session: req.Session}
		res, err := g.pb.CallDownstream(ctx, c)
		if err != nil {
			return failed(ctx, err)
		}
		return g.result(req, res), nil
	default:
		p = &parkedCall{session: req.Session, ended: make(chan struct{}), asks: make(chan *parkedAsk)}
		calling, cancel := context.WithCancel(context.WithoutCancel(ctx))
		p.cancel, c.Client = cancel, p
		go func() {
			defer cancel()
			defer close(p.ended)
			p.res, p.err = g.pb.CallDownstream(calling, c)
		}()
	}
	select {
	case <-p.ended:
		if p.err != nil {
			return failed(ctx, p.err)
		}
		return g.result(req, p.res), nil
	case p.waiting = <-p.asks:
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{questionKey: p.waiting.params}, RequestState: g.parked.put(p, req)}, nil
	case <-ctx.Done():
		p.cancel()
		<-p.ended
		return nil, ctx.Err()
	}
}

// questionKey names the question of a parked call.
const questionKey = "question"

// parkedMark begins the state of a parked call: any other state is the server's.
const parkedMark = "patchbay-gateway."

// put keeps a call until its client has answered, and returns the state that leads to it.
func (c *parkedCalls) put(p *parkedCall, req *mcp.CallToolRequest) string {
	state := parkedMark + c.states.seal("", principal(req), req.Params)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		c.calls = map[string]*parkedCall{}
	}
	c.calls[state] = p
	late := time.AfterFunc(maxParked, func() {
		c.mu.Lock()
		_, there := c.calls[state]
		delete(c.calls, state)
		c.mu.Unlock()
		if there {
			p.cancel()
		}
	})
	go func() { // a call that ends for another reason is not waited for
		<-p.ended
		late.Stop()
	}()
	return state
}

// take returns the call that a state leads to, once; own says that the state is of one.
func (c *parkedCalls) take(req *mcp.CallToolRequest) (p *parkedCall, own bool) {
	params := req.Params
	if len(params.RequestState) < len(parkedMark) || params.RequestState[:len(parkedMark)] != parkedMark {
		return nil, false
	}
	sealed := *params
	sealed.RequestState = params.RequestState[len(parkedMark):]
	if _, err := c.states.open(principal(req), &sealed); err != nil {
		return nil, true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	p = c.calls[params.RequestState]
	delete(c.calls, params.RequestState)
	return p, true
}
