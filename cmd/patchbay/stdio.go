package main

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
)

// lastReplies is how long requests in flight are waited for when the input ends.
const lastReplies = time.Second

// serveStdio serves one session over standard input and output. It ends with the
// input or with the command's context.
func serveStdio(cmd *cobra.Command, server *mcp.Server) error {
	ctx := cmd.Context()
	session, err := server.Connect(ctx, &orderly{&mcp.IOTransport{Reader: input(cmd), Writer: output(cmd)}}, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		_ = session.Close()
		return nil
	}
}

// An orderly transport is lenient with clients that write without waiting, as
// scripts do: nothing is read between initialize and its reply, and the end of
// the input does not cut off the replies to what was asked before it.
type orderly struct{ mcp.Transport }

// Connect implements [mcp.Transport].
func (t *orderly) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	return &orderlyConn{Connection: c, open: map[jsonrpc.ID]bool{}, replied: make(chan struct{}, 1)}, err
}

type orderlyConn struct {
	mcp.Connection

	mu      sync.Mutex
	open    map[jsonrpc.ID]bool // requests without a reply
	first   jsonrpc.ID          // initialize, until it is answered
	replied chan struct{}
}

// Read implements [mcp.Connection].
func (c *orderlyConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	c.wait(ctx, func() bool { return !c.first.IsValid() }, time.Minute)
	msg, err := c.Connection.Read(ctx)
	if err != nil {
		c.wait(ctx, func() bool { return len(c.open) == 0 }, lastReplies)
		return nil, err
	}
	if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() {
		c.mu.Lock()
		c.open[req.ID] = true
		if req.Method == "initialize" {
			c.first = req.ID
		}
		c.mu.Unlock()
	}
	return msg, nil
}

// wait returns when a condition on the open requests holds, or it is late.
func (c *orderlyConn) wait(ctx context.Context, holds func() bool, most time.Duration) {
	late := time.NewTimer(most)
	defer late.Stop()
	for {
		c.mu.Lock()
		ok := holds()
		c.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-c.replied:
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Write implements [mcp.Connection].
func (c *orderlyConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := c.Connection.Write(ctx, msg)
	if resp, ok := msg.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, resp.ID)
		if c.first == resp.ID {
			c.first = jsonrpc.ID{}
		}
		c.mu.Unlock()
		select {
		case c.replied <- struct{}{}:
		default:
		}
	}
	return err
}
