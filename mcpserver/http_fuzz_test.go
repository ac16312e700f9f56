package mcpserver

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/mcpserver/stdio"
)

// FuzzConnection sends bytes to the HTTP server as a client that then ends its half of
// the connection: requests, headers, bodies, and what is none of them. The server closes
// the connection, whatever it was sent, and answers the next client.
func FuzzConnection(f *testing.F) {
	head := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
	body := func(head, body string) []byte {
		return []byte(head + "Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
	}
	for _, seed := range [][]byte{
		body(head, opening),
		body(head+"Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`),
		body(head, `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"}]`),
		[]byte(head + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"jso\r\n0\r\n\r\n"),
		[]byte(head + "Content-Length: 1000\r\n\r\n{"),
		[]byte("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: x\r\nLast-Event-ID: 1\r\n\r\n"),
		[]byte("GET /metrics HTTP/1.0\r\nAuthorization: Bearer pbt_x\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		[]byte("OPTIONS * HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ,,,\r\nOrigin: null\r\n\r\n"),
		[]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), []byte("\x16\x03\x01\x00"), []byte("\r\n\r\n"), bytes.Repeat([]byte("X: y\r\n"), 1000),
	} {
		f.Add(seed)
	}
	server, s := newServer(f, options{})
	o := httpd.Options{InFlight: httpd.NewInFlight(0), Auth: &httpd.Auth{}, BodyTimeout: time.Minute}
	mux := http.NewServeMux()
	mux.Handle("/mcp", Handler(server, HTTPOptions{Options: o}))
	mux.Handle("/", NewMetrics(s.app).Handler(o))
	h := httptest.NewUnstartedServer(mux)
	h.Config.ErrorLog, h.Config.MaxHeaderBytes = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug), httpd.MaxHeader
	h.Start()
	f.Cleanup(h.Close)
	address := h.Listener.Addr().String()
	f.Fuzz(func(t *testing.T, sent []byte) {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		_, _ = c.Write(sent) // the server may have closed it already
		_ = c.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, c) // until the server closes it
		for session := range server.Sessions() {
			_ = session.Close()
		}
	})
}

const greeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// FuzzFrames sends lines to the server over stdio. It ends with its input.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{
		greeting, opening + "\n", "\n\n{}\n[]\n", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":{},"method":1}` + "\n",
		greeting + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"evaluate","arguments":{"expression":"1+1"}}}` + "\n",
		greeting + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}` + "\n", strings.Repeat("[", 10_000) + "\n", "\x00\xff\n",
	} {
		f.Add(seed)
	}
	server, _ := newServer(f, options{})
	f.Fuzz(func(t *testing.T, sent string) {
		transport := stdio.New(io.NopCloser(strings.NewReader(sent)), discardCloser{})
		session, err := server.Connect(t.Context(), transport, &mcp.ServerSessionOptions{})
		if err != nil {
			return
		}
		<-transport.Ended()
		transport.End()
		_ = session.Close()
		_ = session.Wait()
	})
}

type discardCloser struct{}

func (discardCloser) Write(p []byte) (int, error) { return len(p), nil }
func (discardCloser) Close() error                { return nil }
