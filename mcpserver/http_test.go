package mcpserver

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/app"
	"github.com/patchbay-mcp/patchbay/internal/httpd"
)

// listen serves a Patchbay over HTTP on loopback.
func listen(t *testing.T, allowed ...string) (url string, s *shop) {
	t.Helper()
	return listenWith(t, options{}, allowed...)
}

func listenWith(t *testing.T, o options, allowed ...string) (url string, s *shop) {
	t.Helper()
	server, s := newServer(t, o)
	l, err := httpd.Listen("127.0.0.1:0", httpd.Exposure{})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewUnstartedServer(Handler(server, HTTPOptions{Sessions: o.sessions, MaxSessions: o.maxSessions, Options: httpd.Options{BodyTimeout: o.bodyTimeout, AllowedOrigins: allowed}, now: o.clock}))
	_ = h.Listener.Close()
	h.Listener = l
	h.Start()
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
		for session := range server.Sessions() {
			_ = session.Close()
		}
	})
	return h.URL + "/mcp", s
}

// Both eras of the protocol work over HTTP: with sessions, where list_changed
// comes, and without.
func TestHTTPEras(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			url, _ := listen(t)
			changed := make(chan struct{}, 10)
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
				ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
			})
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: transport}}, &mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = session.Close() }()
			if got := session.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("the version is %s", got)
			}
			call := func(tool, args string) string {
				r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: raw(args)})
				if err != nil {
					t.Fatalf("%s: %v", tool, err)
				}
				text, _ := r.Content[0].(*mcp.TextContent)
				return text.Text
			}
			if got := call("search_nodes", `{"query":"order an article"}`); !strings.Contains(got, `"subtype":"shop/order"`) {
				t.Error(got)
			}
			if got := call("save_graph", `{"graph":`+orderGraph+`}`); !strings.Contains(got, `"status":"saved"`) {
				t.Error(got)
			}
			if got := call("buy", `{"article":"tea"}`); !strings.Contains(got, `"number":7`) {
				t.Error(got)
			}
			if version < "2026" {
				<-changed
			}
		})
	}
}

// A page of another origin is refused whatever the method; the server's own and
// those the operator allows are not.
func TestHTTPOrigin(t *testing.T) {
	url, _ := listen(t, "https://app.example.com")
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	ask := func(method, origin string) int {
		req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(greeting[:strings.IndexByte(greeting, '\n')]))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		resp, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		_, _ = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode
	}
	own := strings.TrimSuffix(url, "/mcp")
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete, http.MethodOptions, http.MethodPut, http.MethodHead, http.MethodPatch} {
		for _, origin := range []string{"http://evil.example.com", "null", "https://app.example.com.evil.com", "http://localhost:1", "file://", own + ".evil.com"} {
			if code := ask(method, origin); code != http.StatusForbidden {
				t.Errorf("%s from %s gives %d", method, origin, code)
			}
		}
	}
	for _, origin := range []string{"", own, "https://app.example.com"} {
		if code := ask(http.MethodPost, origin); code != http.StatusOK {
			t.Errorf("POST from %q gives %d", origin, code)
		}
	}
}

// A page whose name was pointed at this machine has its own name for host. It
// reaches nothing, not even by a GET, which has no Origin.
func TestHTTPRebinding(t *testing.T) {
	metrics := NewMetrics(app.New(app.Options{}))
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	mux := http.NewServeMux()
	mux.Handle("/", metrics.Handler(httpd.Options{}))
	mux.Handle("/mcp", Handler(server, HTTPOptions{}))
	ask := func(method, path, host, origin string) int {
		body := ""
		if method == http.MethodPost {
			body = greeting[:strings.IndexByte(greeting, '\n')]
		}
		req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		req.Host = host
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		reply := httptest.NewRecorder()
		mux.ServeHTTP(reply, req)
		return reply.Code
	}
	for _, path := range []string{"GET /metrics", "GET /searches", "POST /mcp", "GET /"} {
		method, path, _ := strings.Cut(path, " ")
		for _, host := range []string{"evil.example.com", "evil.example.com:8080", "127.0.0.1.evil.example.com", "localhost.evil.example.com", "10.0.0.1", "[::2]:80", ""} {
			for _, origin := range []string{"", "http://" + host} {
				if code := ask(method, path, host, origin); code != http.StatusForbidden {
					t.Errorf("%s %s with the Host %q and the Origin %q gives %d", method, path, host, origin, code)
				}
			}
		}
		if path == "/" {
			continue
		}
		for _, host := range []string{"localhost", "LOCALHOST:8080", "127.0.0.1", "127.0.0.1:1", "127.0.0.2:8080", "[::1]", "[::1]:8080"} {
			if code := ask(method, path, host, "http://"+host); code != http.StatusOK {
				t.Errorf("%s %s with the Host %q gives %d", method, path, host, code)
			}
		}
	}
	for session := range server.Sessions() {
		_ = session.Close()
	}
}

// Bad bodies get an answer of 4xx, and the server continues.
func TestHTTPBadInput(t *testing.T) {
	url, _ := listen(t)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	for name, body := range map[string][]byte{
		"empty": nil, "junk": []byte("hello"), "cut off": []byte(`{"jsonrpc":`), "too large": bytes.Repeat([]byte("x"), httpd.MaxBody+1), "deep": bytes.Repeat([]byte("["), 1<<20),
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		resp, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode < 400 || resp.StatusCode >= 500 {
			t.Errorf("%s gives %d", name, resp.StatusCode)
		}
	}
}

func TestListen(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "localhost:0", ":0", "0", "[::1]:0"} {
		l, err := httpd.Listen(addr, httpd.Exposure{})
		if err != nil {
			if strings.Contains(addr, "::1") {
				continue // a machine without IPv6
			}
			t.Errorf("%s: %v", addr, err)
			continue
		}
		if host := l.Addr().String(); !strings.HasPrefix(host, "127.0.0.1:") && !strings.HasPrefix(host, "[::1]:") {
			t.Errorf("%s listens on %s", addr, host)
		}
		_ = l.Close()
	}
	for _, addr := range []string{"0.0.0.0:0", "[::]:0", "10.0.0.1:80", "example.com:80", "8.8.8.8:53", "127.0.0.1:notaport", "nonsense", "127.0.0.1:99999"} {
		if l, err := httpd.Listen(addr, httpd.Exposure{}); err == nil {
			t.Errorf("%s listens on %s", addr, l.Addr())
			_ = l.Close()
		}
	}
}
