package mcpserver

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/policy/access"
	"github.com/patchbay-mcp/patchbay/internal/request"
)

// A clock is one that a test moves on.
type clock struct{ passed atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(1, c.passed.Load()) }

func (c *clock) advance(d time.Duration) { c.passed.Add(int64(d)) }

const pingCall = `{"jsonrpc":"2.0","id":2,"method":"ping"}`

// open opens a session, and returns its id.
func open(t *testing.T, url string) string {
	t.Helper()
	r := initialize(t, url)
	if r.status != http.StatusOK || r.session == "" {
		t.Fatalf("a session is not opened: %+v", r)
	}
	return r.session
}

// TestIdleSessionsMakeRoom: where there are as many sessions as there may be, one that
// nobody uses ends for a new one: first those that were never used, then the one that was
// not used for longest. Its client learns that by 404, and opens another one.
func TestIdleSessionsMakeRoom(t *testing.T) {
	c := &clock{}
	url, _ := listenWith(t, options{maxSessions: 4, clock: c.now})
	status := func(session string) int { return ask(t, http.MethodPost, url, session, pingCall).status }
	use := func(session string) {
		t.Helper()
		for range 2 {
			if got := status(session); got != http.StatusOK {
				t.Fatalf("a session answers with %d", got)
			}
		}
	}
	early, late, left := open(t, url), open(t, url), open(t, url)
	use(early)
	c.advance(time.Second)
	use(late)
	busy := open(t, url)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Accept": {"text/event-stream"}, "Mcp-Session-Id": {busy}}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	stream, err := transport.RoundTrip(req)
	if err != nil || stream.StatusCode != http.StatusOK {
		t.Fatal(stream, err)
	}
	defer func() { _ = stream.Body.Close() }()

	if r := initialize(t, url); r.status != http.StatusServiceUnavailable || r.retryAfter == "" {
		t.Errorf("nobody is idle: %+v, want 503 with Retry-After", r)
	}
	c.advance(leftAfter)
	use(open(t, url)) // in the place of the one that was never used
	if got := status(left); got != http.StatusNotFound {
		t.Errorf("the session that was left answers with %d", got)
	}
	if r := initialize(t, url); r.status != http.StatusServiceUnavailable {
		t.Errorf("those that are used are not idle yet: %+v", r)
	}
	c.advance(idleAfter)
	use(open(t, url))
	if got := status(early); got != http.StatusNotFound {
		t.Errorf("the session that was not used for longest answers with %d", got)
	}
	use(late)
	c.advance(24 * time.Hour)
	for range 3 {
		use(open(t, url))
	}
	if got := status(busy); got != http.StatusOK {
		t.Errorf("the session with a stream answers with %d", got)
	}
	if r := initialize(t, url); r.status != http.StatusServiceUnavailable {
		t.Errorf("the others are in use: %+v", r)
	}
}

// TestRoomOfPrincipals: a principal with half of the sessions makes room among its own, and
// where all together have too many, who has most.
func TestRoomOfPrincipals(t *testing.T) {
	c := &clock{}
	g := serveTeam(t, options{}, func(o *HTTPOptions) { o.MaxSessions, o.now, o.Auth.PerMinute = 4, c.now, often })
	tokens := map[string]string{}
	for _, name := range []string{"ann", "bob", "carl"} {
		tokens[name] = g.token(t, name, access.Rights{})
	}
	enter := func(name string) string {
		t.Helper()
		resp, text := g.ask(t, http.MethodPost, "/mcp", tokens[name], opening)
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("a session of %s: %d %s", name, resp.StatusCode, text)
		}
		c.advance(time.Millisecond)
		return resp.Header.Get("Mcp-Session-Id")
	}
	status := func(name, session string) int {
		resp, _ := g.ask(t, http.MethodPost, "/mcp", tokens[name], pingCall, "Mcp-Session-Id", session)
		return resp.StatusCode
	}
	bobs := enter("bob")
	anns := []string{enter("ann"), enter("ann")}
	if resp, text := g.ask(t, http.MethodPost, "/mcp", tokens["ann"], opening); resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(text, "this principal has") {
		t.Errorf("a third of ann: %d %s", resp.StatusCode, text)
	}
	c.advance(leftAfter)
	anns = append(anns, enter("ann"))
	carls := enter("carl")
	c.advance(leftAfter)
	enter("carl")
	for name, want := range map[string]map[string]int{
		"ann": {anns[0]: http.StatusNotFound, anns[1]: http.StatusNotFound, anns[2]: http.StatusOK}, "bob": {bobs: http.StatusOK}, "carl": {carls: http.StatusOK},
	} {
		for session, want := range want {
			if got := status(name, session); got != want {
				t.Errorf("a session of %s answers with %d, want %d", name, got, want)
			}
		}
	}
}

// TestSessionsWithRunsStay: a session does not end for another one if its runs would end
// with it.
func TestSessionsWithRunsStay(t *testing.T) {
	for policy, want := range map[string]int{"finish": http.StatusOK, "park": http.StatusServiceUnavailable, "cancel": http.StatusServiceUnavailable} {
		c := &clock{}
		url, _ := listenWith(t, options{maxSessions: 1, clock: c.now, sessions: NewSessions(request.Disconnect(policy))})
		session := open(t, url)
		if r := ask(t, http.MethodPost, url, session, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"evaluate","arguments":{"expression":"1"}}}`); r.status != http.StatusOK {
			t.Fatalf("%s: a call: %+v", policy, r)
		}
		c.advance(idleAfter)
		if r := initialize(t, url); r.status != want {
			t.Errorf("%s: another session: %+v, want %d", policy, r, want)
		}
	}
}

// TestUnknownSessionsAreForgotten: an id that nobody was given takes no memory.
func TestUnknownSessionsAreForgotten(t *testing.T) {
	d := newSessionLimiter(nil, 1, &HTTPOptions{})
	done, ok := d.use("guessed")
	if !ok || len(d.uses) != 1 {
		t.Fatalf("%t, %d visits", ok, len(d.uses))
	}
	done()
	if len(d.uses) != 0 {
		t.Errorf("%d visits remain", len(d.uses))
	}
}
