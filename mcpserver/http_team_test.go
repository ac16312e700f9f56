package mcpserver

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

// TestExposure: what other machines can reach needs TLS and authentication, and the error
// says what is missing.
func TestExposure(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", "[::]:0", "10.1.2.3:80"} {
		for _, tt := range []struct {
			e        Exposure
			has, not string
		}{
			{Exposure{}, "lacks TLS (serve.tls: {cert, key}, or a proxy in serve.trustedProxies), and a token (patchbay token add NAME) or serve.oauth.issuer", ""},
			{Exposure{TLS: true}, "lacks a token", "TLS"},
			{Exposure{Auth: true}, "lacks TLS", "a token"},
		} {
			if _, err := Listen(addr, tt.e); err == nil || !strings.Contains(err.Error(), tt.has) || tt.not != "" && strings.Contains(err.Error(), tt.not) {
				t.Errorf("%s with %+v: %v", addr, tt.e, err)
			}
		}
	}
	l, err := Listen("0.0.0.0:0", Exposure{TLS: true, Auth: true})
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
}

// TestCertificateReload: a renewed certificate is used from the next handshake on, and one
// that cannot be used changes nothing.
func TestCertificateReload(t *testing.T) {
	dir := t.TempDir()
	cert, key, _ := certify(t, dir, "first.example.com")
	c, err := LoadCertificate(cert, key, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	name := func() string {
		got, err := c.Config().GetCertificate(&tls.ClientHelloInfo{})
		if err != nil {
			t.Fatal(err)
		}
		return got.Leaf.DNSNames[0]
	}
	if name() != "first.example.com" {
		t.Error(name())
	}
	certify(t, dir, "second.example.com")
	if name() != "second.example.com" || c.Names()[0] != "second.example.com" {
		t.Error(name())
	}
	replaceFile(t, cert, []byte("nonsense"))
	if name() != "second.example.com" {
		t.Error(name())
	}
	certify(t, dir, "third.example.com")
	if name() != "third.example.com" {
		t.Error(name())
	}
	if _, err := LoadCertificate(key, cert, nil); err == nil {
		t.Error("a key is a certificate")
	}
}

// TestHosts: every path and method refuses a Host that is not the server's, also with a
// valid token.
func TestHosts(t *testing.T) {
	g := serveTeam(t, options{}, func(o *HTTPOptions) { o.Hosts = []string{"patchbay.example.com", "*.team.example.com"} })
	ann := g.token(t, "ann", access.Rights{Scopes: []string{access.Admin}})
	for host, ok := range map[string]bool{
		"localhost:1": true, "127.0.0.1": true, "patchbay.example.com": true, "PATCHBAY.example.com:8443": true, "a.team.example.com": true,
		"evil.example.com": false, "patchbay.example.com.evil.com": false, "team.example.com": false, "a.b.team.example.com": false, "10.0.0.1": false, "localhost.evil.com": false,
	} {
		for _, path := range []string{"/mcp", "/metrics", "/searches", "/healthz", "/.well-known/oauth-protected-resource", "/none"} {
			for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete, http.MethodOptions, http.MethodPut} {
				resp, _ := g.ask(t, method, path, ann, "", "Host", host)
				if (resp.StatusCode != http.StatusForbidden) != ok {
					t.Errorf("%s %s with the Host %s gives %d", method, path, host, resp.StatusCode)
				}
			}
		}
	}
}

// TestCORS: pages of allowed origins may read responses and send tokens; no other may.
func TestCORS(t *testing.T) {
	const origin = "https://app.example.com"
	g := serveTeam(t, options{}, func(o *HTTPOptions) { o.AllowedOrigins = []string{origin} })
	resp, _ := g.ask(t, http.MethodOptions, "/mcp", "", "", "Origin", origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization")
	if h := resp.Header; resp.StatusCode != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != origin || !strings.Contains(h.Get("Access-Control-Allow-Headers"), "Authorization") || h.Get("Vary") != "Origin" {
		t.Errorf("a preflight gives %d %v", resp.StatusCode, h)
	}
	resp, _ = g.ask(t, http.MethodPost, "/mcp", "", opening, "Origin", origin)
	if h := resp.Header; resp.StatusCode != http.StatusUnauthorized || h.Get("Access-Control-Allow-Origin") != origin || !strings.Contains(h.Get("Access-Control-Expose-Headers"), "WWW-Authenticate") {
		t.Errorf("a request without a token gives %d %v", resp.StatusCode, h)
	}
	for _, method := range []string{http.MethodOptions, http.MethodPost, http.MethodGet} {
		resp, _ := g.ask(t, method, "/mcp", "", "", "Origin", "https://evil.example.com", "Access-Control-Request-Method", "POST")
		if resp.StatusCode != http.StatusForbidden || resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s of another origin gives %d %v", method, resp.StatusCode, resp.Header)
		}
	}
}

// TestProxies: X-Forwarded-* count from trusted proxies only.
func TestProxies(t *testing.T) {
	var seen *http.Request
	o := HTTPOptions{Hosts: []string{"patchbay.example.com"}, Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, ProxiedOnly: true}
	h := o.guard(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r }), public)
	for _, tt := range []struct {
		peer, host, forwarded, proto, client string
		status                               int
		remote                               string
	}{
		{"10.0.0.2:1000", "10.0.0.7:8080", "patchbay.example.com", "https", "1.2.3.4", 200, "1.2.3.4"},
		{"10.0.0.2:1000", "10.0.0.7:8080", "patchbay.example.com", "https", "9.9.9.9, 1.2.3.4, 10.0.0.3", 200, "1.2.3.4"},
		{"10.0.0.2:1000", "patchbay.example.com", "", "https", "", 200, "10.0.0.2:1000"},
		{"10.0.0.2:1000", "10.0.0.7:8080", "evil.example.com", "https", "1.2.3.4", 403, ""},
		{"10.0.0.2:1000", "10.0.0.7:8080", "patchbay.example.com, evil.example.com", "https", "1.2.3.4", 403, ""},
		{"10.0.0.2:1000", "patchbay.example.com", "", "http", "", 403, ""},
		{"10.0.0.2:1000", "patchbay.example.com", "", "", "", 403, ""},
		{"8.8.8.8:1000", "patchbay.example.com", "", "https", "", 403, ""},
		{"8.8.8.8:1000", "evil.example.com", "patchbay.example.com", "https", "10.0.0.2", 403, ""},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.RemoteAddr, r.Host = tt.peer, tt.host
		for name, value := range map[string]string{"X-Forwarded-Host": tt.forwarded, "X-Forwarded-Proto": tt.proto, "X-Forwarded-For": tt.client} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != tt.status || tt.status == 200 && seen.RemoteAddr != tt.remote {
			t.Errorf("%+v gives %d %s", tt, w.Code, w.Body)
		}
	}
}

// fixed is an issuer that knows one token.
type fixed struct{}

func (fixed) URL() string { return "https://login.example.com" }

func (fixed) Verify(_ context.Context, token string) (*access.Identity, error) {
	switch token {
	case "a.b.c":
		return &access.Identity{Principal: "oauth:ann", Rights: access.Rights{Scopes: []string{access.Read}}, Expires: time.Now().Add(time.Hour)}, nil
	case "o.l.d":
		return nil, access.ErrExpired
	}
	return nil, access.ErrUnknown
}

// TestIssuer: clients find the issuer by the refusal, and its tokens are accepted beside
// those of Patchbay.
func TestIssuer(t *testing.T) {
	g := serveTeam(t, options{}, func(o *HTTPOptions) { o.Auth.Issuer = fixed{} })
	for token, status := range map[string]int{"": 401, "x.y.z": 401, "o.l.d": 401, "a.b.c": 200, g.token(t, "ann", access.Rights{}): 200} {
		resp, text := g.ask(t, http.MethodPost, "/mcp", token, opening)
		want := `Bearer resource_metadata="` + g.url + `/.well-known/oauth-protected-resource/mcp"`
		if challenge := resp.Header.Get("WWW-Authenticate"); resp.StatusCode != status || status == 401 && challenge != want {
			t.Errorf("%q: %d %s, %s", token, resp.StatusCode, text, challenge)
		}
	}
	resp, text := g.ask(t, http.MethodGet, "/.well-known/oauth-protected-resource/mcp", "", "")
	var meta struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
	}
	if err := json.Unmarshal([]byte(text), &meta); err != nil || resp.StatusCode != http.StatusOK || meta.Resource != g.url+"/mcp" || len(meta.Servers) != 1 || meta.Servers[0] != "https://login.example.com" {
		t.Errorf("%d %s, %v", resp.StatusCode, text, err)
	}
}

// TestLocalUser: on a loopback address a token is not needed, but one that is sent must be
// valid.
func TestLocalUser(t *testing.T) {
	g := serveTeam(t, options{}, func(o *HTTPOptions) { o.Auth.Required = false })
	for token, status := range map[string]int{"": 200, "pbt_wrong": 401, g.token(t, "ann", access.Rights{}): 200} {
		if resp, text := g.ask(t, http.MethodPost, "/mcp", token, opening); resp.StatusCode != status {
			t.Errorf("%q: %d %s", token, resp.StatusCode, text)
		}
	}
}

// TestHealth: a server is ready when it is loaded, until it ends.
func TestHealth(t *testing.T) {
	loaded := make(chan struct{})
	health := NewHealth(loaded)
	status := func(path string) int {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.Host = "localhost"
		health.Handler(HTTPOptions{}).ServeHTTP(w, r)
		return w.Code
	}
	if status("/healthz") != 200 || status("/readyz") != 503 {
		t.Error("a server that loads is ready")
	}
	close(loaded)
	if status("/readyz") != 200 {
		t.Error("a loaded server is not ready")
	}
	health.End()
	if status("/healthz") != 200 || status("/readyz") != 503 {
		t.Error("a server that ends is ready")
	}
}

// TestRequestsAreBounded: a request beyond the bound is answered at once.
func TestRequestsAreBounded(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	o := HTTPOptions{InFlight: NewInFlight(1)}
	h := o.guard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		entered <- struct{}{}
		<-release
	}), public)
	ask := func() int {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/", nil)
		r.Host = "localhost"
		h.ServeHTTP(w, r)
		return w.Code
	}
	first := make(chan int)
	go func() { first <- ask() }()
	<-entered
	if code := ask(); code != http.StatusServiceUnavailable {
		t.Errorf("a second request gives %d", code)
	}
	close(release)
	if code := <-first; code != 200 {
		t.Errorf("the first gives %d", code)
	}
	o.InFlight.bytes = MaxBodies
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader("{}"))
	r.Host = "localhost"
	h.ServeHTTP(w, r)
	if w.Code != http.StatusServiceUnavailable || o.InFlight.bytes != MaxBodies || o.InFlight.requests != 0 {
		t.Errorf("a body beyond the bound gives %d, %+v", w.Code, o.InFlight.bytes)
	}
}

// TestSlowReader: a client that does not read is let go, and nothing of it remains.
func TestSlowReader(t *testing.T) {
	ended := make(chan error, 1)
	o := HTTPOptions{WriteTimeout: 50 * time.Millisecond}
	h := httptest.NewServer(o.guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		part := make([]byte, 1<<20)
		for {
			if _, err := w.Write(part); err != nil {
				ended <- err
				return
			}
		}
	}), public))
	t.Cleanup(h.Close)
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := c.Write([]byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("the handler ends without an error")
	}
}

// TestTokensFileOfAnotherProcess: what patchbay token changes counts for the next request.
func TestTokensFileOfAnotherProcess(t *testing.T) {
	g := serveTeam(t, options{})
	ann := g.token(t, "ann", access.Rights{})
	other := access.Open(filepath.Clean(g.tokens.File()))
	for range 3 {
		if resp, _ := g.ask(t, http.MethodPost, "/mcp", ann, opening); resp.StatusCode != http.StatusOK {
			t.Fatal(resp.StatusCode)
		}
		if fault := other.Revoke("ann"); fault != nil {
			t.Fatal(fault)
		}
		if resp, _ := g.ask(t, http.MethodPost, "/mcp", ann, opening); resp.StatusCode != http.StatusUnauthorized {
			t.Fatal(resp.StatusCode)
		}
		ann = g.token(t, "ann", access.Rights{})
	}
}
