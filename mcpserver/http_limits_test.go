package mcpserver

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/httpd"
)

// An httpReply is what a test looks at of a response.
type httpReply struct {
	status              int
	session, retryAfter string
}

// initialize opens a session.
func initialize(t *testing.T, url string) httpReply {
	t.Helper()
	return ask(t, http.MethodPost, url, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
}

func ask(t *testing.T, method, url, session, body string) httpReply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return httpReply{resp.StatusCode, resp.Header.Get("Mcp-Session-Id"), resp.Header.Get("Retry-After")}
}

func TestHTTPSessionsAreBounded(t *testing.T) {
	url, _ := listenWith(t, options{maxSessions: 2})
	first := initialize(t, url).session
	if second := initialize(t, url).session; first == "" || second == "" {
		t.Fatal("the sessions cannot be opened")
	}
	if r := initialize(t, url); r.status != http.StatusServiceUnavailable || r.retryAfter == "" {
		t.Errorf("a third session: %+v, want 503 with Retry-After", r)
	}
	if r := ask(t, http.MethodPost, url, first, `{"jsonrpc":"2.0","id":2,"method":"ping"}`); r.status != http.StatusOK {
		t.Errorf("a request of an open session: %+v", r)
	}
	if r := ask(t, http.MethodDelete, url, first, ""); r.status >= 300 {
		t.Fatalf("the session cannot be ended: %+v", r)
	}
	if r := initialize(t, url); r.status != http.StatusOK {
		t.Errorf("a session after one has ended: %+v", r)
	}
}

// TestHTTPSlowBody: whoever sends half of a body, or none, is answered and let go.
func TestHTTPSlowBody(t *testing.T) {
	url, _ := listenWith(t, options{bodyTimeout: 50 * time.Millisecond})
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/mcp")
	for name, test := range map[string]struct {
		header string
		status int
	}{
		"half":                {"POST /mcp HTTP/1.1\r\nHost: " + address + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n{\"jsonrpc\"", http.StatusRequestTimeout},
		"chunks":              {"POST /mcp HTTP/1.1\r\nHost: " + address + "\r\nMcp-Protocol-Version: 2025-06-18\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"jso\r\n", http.StatusRequestTimeout},
		"of a stream":         {"GET /mcp HTTP/1.1\r\nHost: " + address + "\r\nContent-Length: 100\r\n\r\n", http.StatusRequestTimeout},
		"of a foreign origin": {"POST /mcp HTTP/1.1\r\nHost: " + address + "\r\nOrigin: http://evil.example\r\nContent-Length: 100\r\n\r\n", http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = c.Close() }()
			fmt.Fprint(c, test.header)
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil || resp.StatusCode != test.status {
				t.Fatalf("%v, %v, want status %d", resp, err, test.status)
			}
			_ = resp.Body.Close()
			if _, err := io.Copy(io.Discard, c); err != nil { // until the server closes it
				t.Error(err)
			}
		})
	}
	if initialize(t, url).session == "" {
		t.Error("an ordinary request is not answered")
	}
}

func TestConnectionsAreBounded(t *testing.T) {
	inner, err := httpd.Listen("0", httpd.Exposure{})
	if err != nil {
		t.Fatal(err)
	}
	l := httpd.Bound(inner, 2)
	h := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- h.Serve(l) }()
	defer func() {
		_ = h.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	request := func() (net.Conn, httpReply) {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", l.Addr())
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return c, httpReply{status: resp.StatusCode, retryAfter: resp.Header.Get("Retry-After")}
	}
	first, one := request()
	if _, two := request(); one.status != http.StatusOK || two.status != http.StatusOK {
		t.Fatal("connections within the bound are turned away")
	}
	if _, three := request(); three.status != http.StatusServiceUnavailable || three.retryAfter == "" {
		t.Errorf("a third connection: %+v, want 503 with Retry-After", three)
	}
	fmt.Fprintf(first, "GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", l.Addr())
	if _, err := io.Copy(io.Discard, first); err != nil {
		t.Fatal(err)
	}
	for { // the server closes it a moment later than the client sees
		if _, next := request(); next.status == http.StatusOK {
			return
		}
	}
}
