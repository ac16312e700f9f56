package transport

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// MaxMessage is how many bytes one message of a server may have.
const MaxMessage = 32 << 20

// A capture keeps the bytes of one answer. The SDK decodes results through
// float64 and Go maps, which changes large numbers and the order of keys, and
// fails on what it does not know; so each call puts a capture into its context
// and the transport, below the SDK, fills it.
type capture struct {
	mu     sync.Mutex
	sent   bool            // the request may have reached the server
	result json.RawMessage // nil until a result came
	status int             // of the HTTP reply, when it is an error
	id     json.RawMessage // of the request, of HTTP
	forget func()
}

type captureKey struct{}

// WithCapture puts a capture into the context of one request, which fills it.
func WithCapture(ctx context.Context) (context.Context, *capture) {
	c := &capture{}
	return context.WithValue(ctx, captureKey{}, c), c
}

func captureFrom(ctx context.Context) *capture {
	c, _ := ctx.Value(captureKey{}).(*capture)
	return c
}

func (c *capture) keep(result json.RawMessage) {
	c.mu.Lock()
	c.result = result
	c.mu.Unlock()
}

func (c *capture) markSent() {
	c.mu.Lock()
	c.sent = true
	c.mu.Unlock()
}

// Take returns what was captured and stops waiting for more.
func (c *capture) Take() (result json.RawMessage, sent bool, status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.forget != nil {
		c.forget()
	}
	return c.result, c.sent, c.status
}

// A Tap is a transport whose connection fills captures. It serves stdio,
// in-process and SSE; streamable HTTP needs its own connection type unwrapped
// and is tapped in its round tripper.
type Tap struct {
	mcp.Transport
	Calls *Calls // whose notifications are counted
}

// Connect implements [mcp.Transport].
func (t *Tap) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &tappedConn{Connection: conn, calls: t.Calls, waiting: map[jsonrpc.ID]*capture{}}, nil
}

type tappedConn struct {
	mcp.Connection
	calls   *Calls
	mu      sync.Mutex
	waiting map[jsonrpc.ID]*capture
}

func (c *tappedConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	req, ok := msg.(*jsonrpc.Request)
	taken := captureFrom(ctx)
	if !ok || !req.IsCall() || taken == nil {
		return c.Connection.Write(ctx, msg)
	}
	forget := func() {
		c.mu.Lock()
		delete(c.waiting, req.ID)
		c.mu.Unlock()
	}
	c.mu.Lock()
	c.waiting[req.ID] = taken
	c.mu.Unlock()
	taken.mu.Lock()
	taken.forget = forget
	taken.mu.Unlock()
	err := c.Connection.Write(ctx, msg)
	if err == nil {
		taken.markSent()
	}
	return err
}

// errCaptured answers a call of the SDK whose result was captured: the SDK decodes no
// error.
var errCaptured = errors.New("the result was captured")

// Read hands the SDK an error in the place of a result that was captured: decoding it
// twice would cost time, and could fail.
func (c *tappedConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if req, ok := msg.(*jsonrpc.Request); ok {
		c.calls.arrive(req.Method, req.Params)
	}
	resp, ok := msg.(*jsonrpc.Response)
	if err != nil || !ok || resp.Error != nil {
		return msg, err
	}
	c.mu.Lock()
	w, ok := c.waiting[resp.ID]
	delete(c.waiting, resp.ID)
	c.mu.Unlock()
	if !ok {
		return msg, nil
	}
	w.markSent()
	w.keep(resp.Result)
	return &jsonrpc.Response{ID: resp.ID, Error: errCaptured}, nil
}
