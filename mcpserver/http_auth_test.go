package mcpserver

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

const opening = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// TestTokens: without a valid token nothing is answered but whether the process lives.
func TestTokens(t *testing.T) {
	g := serveTeam(t, options{})
	ann := g.token(t, "ann", access.Rights{})
	root := g.token(t, "root", access.Rights{Scopes: []string{access.Admin}})
	for _, tt := range []struct {
		path, token string
		status      int
	}{
		{"/mcp", "", 401},
		{"/mcp", "pbt_wrong", 401},
		{"/mcp", ann, 200},
		{"/metrics", "", 401},
		{"/metrics", ann, 403},
		{"/metrics", root, 200},
		{"/searches", ann, 403},
		{"/elsewhere", "", 401},
		{"/healthz", "", 200},
		{"/.well-known/oauth-protected-resource", "", 404},
	} {
		method, body := http.MethodGet, ""
		if tt.path == "/mcp" {
			method, body = http.MethodPost, opening
		}
		resp, text := g.ask(t, method, tt.path, tt.token, body)
		if resp.StatusCode != tt.status {
			t.Errorf("%s with %.8q: %d %s, want %d", tt.path, tt.token, resp.StatusCode, text, tt.status)
		}
		if challenge := resp.Header.Get("WWW-Authenticate"); (tt.status == 401 || tt.status == 403) != strings.HasPrefix(challenge, "Bearer") {
			t.Errorf("%s with %.8q: WWW-Authenticate is %q", tt.path, tt.token, challenge)
		}
	}
	if fault := g.tokens.Revoke("ann"); fault != nil {
		t.Fatal(fault)
	}
	if resp, _ := g.ask(t, http.MethodPost, "/mcp", ann, opening); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a revoked token gives %d", resp.StatusCode)
	}
}

// TestSessionsBelongToTokens: the session of one principal is not that of another.
func TestSessionsBelongToTokens(t *testing.T) {
	g := serveTeam(t, options{})
	ann, bob := g.token(t, "ann", access.Rights{}), g.token(t, "bob", access.Rights{})
	resp, _ := g.ask(t, http.MethodPost, "/mcp", ann, opening)
	session := resp.Header.Get("Mcp-Session-Id")
	list := `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	if resp, text := g.ask(t, http.MethodPost, "/mcp", ann, list, "Mcp-Session-Id", session); session == "" || resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", resp.StatusCode, text)
	}
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		if resp, _ := g.ask(t, method, "/mcp", bob, list, "Mcp-Session-Id", session); resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s of another principal gives %d", method, resp.StatusCode)
		}
	}
}

// TestRatesAndQuotas: each principal has its own.
func TestRatesAndQuotas(t *testing.T) {
	g := serveTeam(t, options{}, func(o *HTTPOptions) { o.Auth.PerMinute = 3 })
	ann, bob := g.token(t, "ann", access.Rights{}), g.token(t, "bob", access.Rights{})
	for i, want := range []int{200, 200, 200, 429} {
		resp, text := g.ask(t, http.MethodPost, "/mcp", ann, opening)
		if resp.StatusCode != want || (want == 429) != (resp.Header.Get("Retry-After") != "") {
			t.Errorf("request %d: %d %s, want %d", i, resp.StatusCode, text, want)
		}
	}
	if resp, _ := g.ask(t, http.MethodPost, "/mcp", bob, opening); resp.StatusCode != http.StatusOK {
		t.Errorf("another principal: %d", resp.StatusCode)
	}

	g = serveTeam(t, options{})
	secret, fault := g.tokens.Add(access.Token{Name: "few", Rights: access.Rights{Scopes: access.Scopes}, Quota: access.Quota{Calls: 2, Per: 24 * time.Hour}})
	if fault != nil {
		t.Fatal(fault)
	}
	s := g.connect(t, secret, "2025-11-25")
	for range 2 {
		if got := answerTo(t.Context(), s, "evaluate", `{"expression":"1+1","context":{}}`); !strings.Contains(got, "2") {
			t.Error(got)
		}
	}
	if _, err := s.ListTools(t.Context(), nil); err != nil {
		t.Errorf("a list is counted as a call: %v", err)
	}
	for what, body := range map[string]string{
		"a call":  `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"evaluate","arguments":{"expression":"1"}}}`,
		"a batch": `[{"jsonrpc":"2.0","id":9,"method":"ping"},{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"evaluate","arguments":{"expression":"1"}}}]`,
		"a call with a second method in capitals": `{"jsonrpc":"2.0","id":9,"method":"tools/call","METHOD":"ping","params":{"name":"evaluate","arguments":{"expression":"1"}}}`,
		"a call with two methods":                 `{"jsonrpc":"2.0","id":9,"method":"ping","method":"tools/call","params":{"name":"evaluate","arguments":{"expression":"1"}}}`,
		"a call with an escape in its method":     `{"jsonrpc":"2.0","id":9,"method":"tools\u002fcall","params":{"name":"evaluate","arguments":{"expression":"1"}}}`,
		"a call with an escape in a name":         `{"jsonrpc":"2.0","id":9,"meth\u006fd":"tools/call","params":{"name":"evaluate","arguments":{"expression":"1"}}}`,
	} {
		if resp, text := g.ask(t, http.MethodPost, "/mcp", secret, body, "Mcp-Session-Id", s.ID()); resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
			t.Errorf("%s beyond the quota: %d %s", what, resp.StatusCode, text)
		}
	}
	for _, after := range []string{" {}", "x", "]", `{"jsonrpc":"2.0","id":9,"method":"ping"}`, "\x00"} {
		body := `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"evaluate","arguments":{"expression":"1"}}}` + after
		if resp, text := g.ask(t, http.MethodPost, "/mcp", secret, body, "Mcp-Session-Id", s.ID()); resp.StatusCode != http.StatusBadRequest || !strings.Contains(text, "not a JSON text") {
			t.Errorf("a call followed by %q: %d %s", after, resp.StatusCode, text)
		}
	}
}

// TestTheDecoderThatExecutesDecides: what a member in another case or a second member says
// decides neither the era of a request nor the task that it is about.
func TestTheDecoderThatExecutesDecides(t *testing.T) {
	read := func(body string, header ...string) (*http.Request, []*jsonrpc.Request, *httptest.ResponseRecorder) {
		r, w := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(body)), httptest.NewRecorder()
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		list, ok := requestsIn(w, r)
		if !ok {
			t.Fatal(body)
		}
		return r, list, w
	}
	for body, want := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`:             true,
		`{"jsonrpc":"2.0","id":1,"method":"ping","PARAMS":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`:             false,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_META":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`:             false,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}},"params":{}}`: false,
	} {
		if r, list, _ := read(body); isStateless(r, list) != want {
			t.Errorf("%s: stateless is %t", body, !want)
		}
	}
	for body, want := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"a"}}`:              true,
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"b","TASKID":"a"}}`: false,
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"a","taskId":"b"}}`: false,
	} {
		if r, list, w := read(body, "Mcp-Method", "tasks/get", "Mcp-Name", "a"); namesTask(w, r, list) != want {
			t.Errorf("%s: it names the task of the header: %t", body, !want)
		}
	}
}

// TestRevokedStreams: the stream of a token that is revoked ends.
func TestRevokedStreams(t *testing.T) {
	g := serveTeam(t, options{})
	ann := g.token(t, "ann", access.Rights{})
	resp, _ := g.ask(t, http.MethodPost, "/mcp", ann, opening)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.url+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Authorization": {"Bearer " + ann}, "Accept": {"text/event-stream"}, "Mcp-Session-Id": {resp.Header.Get("Mcp-Session-Id")}}
	stream, err := g.client.Do(req)
	if err != nil || stream.StatusCode != http.StatusOK {
		t.Fatal(stream, err)
	}
	defer func() { _ = stream.Body.Close() }()
	g.offer.Auth.Recheck()
	if fault := g.tokens.Revoke("ann"); fault != nil {
		t.Fatal(fault)
	}
	g.offer.Auth.Recheck()
	var b [1]byte
	for err = nil; err == nil; { // until the server ends it
		_, err = stream.Body.Read(b[:])
	}
}
