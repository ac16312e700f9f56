package mcpserver

import (
	"context"
	"flag"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

var loadFull = flag.Bool("load.full", false, "TestRequestsInFlight has 10,000 requests, TestSessionsOfVanishedClients 1,000 sessions")

// perConnection requests fit into a connection of HTTP/2: none waits until another has
// ended.
const perConnection = 100

// often is a rate that no test reaches.
const often = 10_000_000

// statelessCall is a call of evaluate by a client of 2026-07-28.
const statelessCall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"evaluate","arguments":{"expression":"1+1","context":{}},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`

// vanishing are clients with one connection each, which may be cut.
type vanishing struct {
	clients []*http.Client

	mu          sync.Mutex
	connections []net.Conn
}

// connections returns so many clients that are connected.
func (g *team) connections(t *testing.T, n int) *vanishing {
	t.Helper()
	v := &vanishing{}
	for range n {
		transport := g.client.Transport.(*http.Transport).Clone()
		transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := (&net.Dialer{}).DialContext(ctx, network, address)
			if err == nil {
				v.mu.Lock()
				defer v.mu.Unlock()
				v.connections = append(v.connections, c)
			}
			return c, err
		}
		client := &http.Client{Transport: transport}
		t.Cleanup(client.CloseIdleConnections)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.url+"/healthz", nil)
		if err != nil {
			t.Fatal(err)
		}
		if status := exchange(client, req); status != http.StatusOK {
			t.Fatalf("/healthz gives %d", status)
		}
		v.clients = append(v.clients, client)
	}
	return v
}

// cut ends the connections without a word.
func (v *vanishing) cut() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range v.connections {
		_ = c.Close()
	}
}

// exchange sends a request and reads the response to its end; 0 is an error.
func exchange(client *http.Client, req *http.Request) int {
	resp, err := client.Do(req)
	if err != nil {
		return 0
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0
	}
	return resp.StatusCode
}

// held sends a call whose body is complete when release is closed, and returns the status
// of the response.
func (g *team) held(ctx context.Context, client *http.Client, token string, release <-chan struct{}) int {
	body, rest := io.Pipe()
	go func() {
		_, _ = io.WriteString(rest, statelessCall[:20])
		select {
		case <-release:
			_, _ = io.WriteString(rest, statelessCall[20:])
			_ = rest.Close()
		case <-ctx.Done():
			_ = rest.CloseWithError(ctx.Err())
		}
	}()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.url+"/mcp", body)
	if err != nil {
		return 0
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": multiRoundTrip, "Mcp-Method": "tools/call", "Mcp-Name": "evaluate"} {
		req.Header.Set(name, value)
	}
	return exchange(client, req)
}

// awaitIdle returns when the server has no request in progress, and none of their bodies.
func (g *team) awaitIdle(t *testing.T) {
	t.Helper()
	for {
		g.ask(t, http.MethodGet, "/healthz", "", "")
		if requests, bytes := g.offer.InFlight.Load(); requests == 0 && bytes == 0 {
			return
		}
	}
}

// TestRequestsInFlight: of many requests at the same time, as many as are allowed are in
// progress, and the others are answered with 503. Whether the clients of those in progress
// vanish or finish, nothing remains of them.
func TestRequestsInFlight(t *testing.T) {
	total, most := 300, 100
	if *loadFull {
		total, most = 10_000, httpd.DefaultMaxRequests
	}
	g := serveTeam(t, options{}, func(o *HTTPOptions) {
		o.InFlight, o.BodyTimeout, o.Auth.PerMinute = httpd.NewInFlight(most), time.Hour, often
	})
	token := g.token(t, "ann", access.Rights{})
	for _, what := range []string{"vanish", "finish"} {
		v := g.connections(t, total/perConnection)
		release, statuses := make(chan struct{}), make(chan int, total)
		ctx, cancel := context.WithCancel(t.Context())
		t.Cleanup(cancel)
		var all sync.WaitGroup
		for i := range total {
			all.Go(func() { statuses <- g.held(ctx, v.clients[i/perConnection], token, release) })
		}
		for range total - most { // the others are in progress
			if status := <-statuses; status != http.StatusServiceUnavailable {
				t.Errorf("a request beyond the bound gives %d", status)
			}
		}
		t.Logf("%d requests in progress, %d refused with 503; %s", most, total-most, footprint())
		want := http.StatusOK
		if what == "vanish" {
			want = 0
			v.cut()
			cancel()
		} else {
			close(release)
		}
		all.Wait()
		for range most {
			if status := <-statuses; status != want {
				t.Errorf("those in progress %s: a status is %d", what, status)
			}
		}
		g.awaitIdle(t)
		t.Logf("those in progress %s: %d, each with status %d; %s", what, most, want, footprint())
	}
}

// TestSessionsOfVanishedClients: there are at most so many sessions, half of them of one
// principal. The streams of clients that vanish end, and their sessions can be ended.
func TestSessionsOfVanishedClients(t *testing.T) {
	sessions := 50
	if *loadFull {
		sessions = DefaultMaxSessions
	}
	g := serveTeam(t, options{}, func(o *HTTPOptions) { o.MaxSessions, o.Auth.PerMinute = sessions, often })
	tokens := [2]string{g.token(t, "ann", access.Rights{}), g.token(t, "bob", access.Rights{})}
	carl := g.token(t, "carl", access.Rights{})
	v := g.connections(t, (sessions+perConnection-1)/perConnection)
	ids := make([]string, 0, sessions)
	for i := range sessions {
		who := i / (sessions / 2)
		resp, text := g.ask(t, http.MethodPost, "/mcp", tokens[who], opening)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("session %d is not opened: %d %s", i, resp.StatusCode, text)
		}
		ids = append(ids, resp.Header.Get("Mcp-Session-Id"))
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.url+"/mcp", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Authorization": {"Bearer " + tokens[who]}, "Accept": {"text/event-stream"}, "Mcp-Session-Id": {ids[i]}}
		stream, err := v.clients[i/perConnection].Do(req)
		if err != nil || stream.StatusCode != http.StatusOK {
			t.Fatal(stream, err)
		}
		t.Cleanup(func() { _ = stream.Body.Close() })
		if i+1 == sessions/2 {
			if resp, text := g.ask(t, http.MethodPost, "/mcp", tokens[0], opening); resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "this principal has") {
				t.Errorf("more than half of the sessions of one principal: %d %s", resp.StatusCode, text)
			}
		}
	}
	if resp, text := g.ask(t, http.MethodPost, "/mcp", carl, opening); resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") == "" {
		t.Errorf("a session too many: %d %s", resp.StatusCode, text)
	}
	t.Logf("%d sessions with streams, one refused with 503; %s", sessions, footprint())
	v.cut()
	g.awaitIdle(t)
	for i, id := range ids {
		token := tokens[i/(sessions/2)]
		if resp, text := g.ask(t, http.MethodDelete, "/mcp", token, "", "Mcp-Session-Id", id); resp.StatusCode != http.StatusNoContent {
			t.Fatalf("a session cannot be ended: %d %s", resp.StatusCode, text)
		}
		if resp, _ := g.ask(t, http.MethodPost, "/mcp", token, `{"jsonrpc":"2.0","id":2,"method":"ping"}`, "Mcp-Session-Id", id); resp.StatusCode != http.StatusNotFound {
			t.Fatalf("a session that has ended answers with %d", resp.StatusCode)
		}
	}
	for session := range g.server.Sessions() {
		if session.ID() != "" {
			t.Errorf("the session %s remains", session.ID())
		}
	}
	if resp, text := g.ask(t, http.MethodPost, "/mcp", carl, opening); resp.StatusCode != http.StatusOK {
		t.Errorf("a session afterwards: %d %s", resp.StatusCode, text)
	}
	t.Logf("all sessions ended; %s", footprint())
}

// footprint says what the process takes, client and server together.
func footprint() string {
	status, _ := os.ReadFile("/proc/self/status")
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	peak, _, _ = strings.Cut(peak, "\n")
	return "peak RSS " + strings.TrimSpace(peak) + ", " + strconv.Itoa(runtime.NumGoroutine()) + " goroutines"
}
