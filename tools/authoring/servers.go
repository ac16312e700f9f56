package main

import (
	"context"
	"io"
	"net"
	"os"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addrEnv is the variable of a process of this program that is a server's process to its
// client. All it does is to pass messages between standard input and output and the
// address, where the measuring process has the server.
const addrEnv = "PATCHBAY_AUTHORING_ADDR"

// pass passes messages until one side ends.
func pass(ctx context.Context, addr string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(conn, os.Stdin)
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	_, err = io.Copy(os.Stdout, conn)
	return err
}

// A port serves one MCP server at an address of this machine, as often as somebody
// connects.
type port struct {
	listener net.Listener
	mu       sync.Mutex
	conns    map[mcp.Session]net.Conn
}

// listen serves connections by a function that returns the session of each.
func listen(ctx context.Context, serve func(context.Context, mcp.Transport) (mcp.Session, error)) (*port, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &port{listener: l, conns: map[mcp.Session]net.Conn{}}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				if session, err := serve(ctx, &mcp.IOTransport{Reader: conn, Writer: conn}); err == nil && session != nil {
					p.mu.Lock()
					p.conns[session] = conn
					p.mu.Unlock()
				}
			}()
		}
	}()
	return p, nil
}

// kill ends the connection of a session, and with it the process that passes its
// messages.
func (p *port) kill(s mcp.Session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if conn := p.conns[s]; conn != nil {
		_ = conn.Close()
	}
}

func (p *port) addr() string { return p.listener.Addr().String() }

func (p *port) close() {
	_ = p.listener.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.conns {
		_ = conn.Close()
	}
}
