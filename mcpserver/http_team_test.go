package mcpserver

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

// TestCertificateReload: a renewed certificate is used from the next handshake on, and one
// that cannot be used changes nothing.
func TestCertificateReload(t *testing.T) {
	dir := t.TempDir()
	cert, key, _ := certify(t, dir, "first.example.com")
	c, err := httpd.LoadCertificate(cert, key, slog.New(slog.DiscardHandler))
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
	if _, err := httpd.LoadCertificate(key, cert, nil); err == nil {
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
