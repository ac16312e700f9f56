package transport

import (
	"context"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A memory is one end of a connection within the process. Unlike the SDK's it
// hands messages over as they are instead of as text, which takes most of the
// time of a call.
type memory struct {
	in     <-chan jsonrpc.Message
	out    chan<- jsonrpc.Message
	closed chan struct{} // shared by both ends
	once   *sync.Once
}

// NewMemory returns the two ends of a connection within this process.
func NewMemory() (client, server *memory) {
	a, b := make(chan jsonrpc.Message, 16), make(chan jsonrpc.Message, 16)
	closed, once := make(chan struct{}), &sync.Once{}
	return &memory{a, b, closed, once}, &memory{b, a, closed, once}
}

// Connect implements [mcp.Transport].
func (m *memory) Connect(context.Context) (mcp.Connection, error) { return m, nil }

// SessionID implements [mcp.Connection].
func (m *memory) SessionID() string { return "" }

// Read implements [mcp.Connection].
func (m *memory) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case msg := <-m.in:
		return msg, nil
	case <-m.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements [mcp.Connection].
func (m *memory) Write(ctx context.Context, msg jsonrpc.Message) error {
	switch v := msg.(type) {
	case *jsonrpc.Request:
		msg = &jsonrpc.Request{ID: v.ID, Method: v.Method, Params: v.Params}
	case *jsonrpc.Response:
		if v.Error != nil {
			// The text form settles what kind of error the other end sees.
			data, err := jsonrpc.EncodeMessage(v)
			if err != nil {
				return err
			}
			if msg, err = jsonrpc.DecodeMessage(data); err != nil {
				return err
			}
			break
		}
		msg = &jsonrpc.Response{ID: v.ID, Result: v.Result}
	}
	select {
	case m.out <- msg:
		return nil
	case <-m.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close implements [mcp.Connection]. It closes both ends.
func (m *memory) Close() error {
	m.once.Do(func() { close(m.closed) })
	return nil
}
