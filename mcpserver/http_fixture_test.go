package mcpserver

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/internal/httpd"
	"github.com/patchbay-mcp/patchbay/internal/policy/access"
)

// certify writes a self-signed certificate for names, and returns its files and a pool
// that has it.
func certify(t *testing.T, dir string, names ...string) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		DNSNames: names, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	replaceFile(t, key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}))
	replaceFile(t, cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	pool = x509.NewCertPool()
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(parsed)
	return cert, key, pool
}

// replaceFile replaces a file as a program does that renews certificates.
func replaceFile(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file+".new", data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
}

// team is a server over TLS whose clients have tokens.
type team struct {
	*shop
	server *mcp.Server
	url    string // without a path
	tokens *access.Tokens
	client *http.Client
	offer  HTTPOptions
}

// serveTeam serves a Patchbay to a team.
func serveTeam(t *testing.T, o options, change ...func(*HTTPOptions)) *team {
	t.Helper()
	server, s := newServer(t, o)
	dir := t.TempDir()
	cert, key, pool := certify(t, dir, "localhost")
	certificate, err := httpd.LoadCertificate(cert, key, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	g := &team{shop: s, server: server, tokens: access.Open(filepath.Join(dir, "tokens.json"))}
	g.offer = HTTPOptions{Sessions: o.sessions, Options: httpd.Options{Certificate: certificate, InFlight: httpd.NewInFlight(0), Auth: &httpd.Auth{Tokens: g.tokens, Required: true}}}
	for _, f := range change {
		f(&g.offer)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", Handler(server, g.offer))
	mux.Handle("/", NewMetrics(s.app).Handler(g.offer.Options))
	mux.Handle("/healthz", httpd.NewHealth(nil).Handler(g.offer.Options))
	mux.Handle("/.well-known/", g.offer.Auth.Metadata(g.offer.Options))
	l, err := httpd.Listen("127.0.0.1:0", httpd.Exposure{})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewUnstartedServer(mux)
	_ = h.Listener.Close()
	h.Listener, h.TLS, h.EnableHTTP2 = l, certificate.Config(), true
	h.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	h.StartTLS()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}
	g.client, g.url = &http.Client{Transport: transport}, strings.Replace(h.URL, "127.0.0.1", "localhost", 1)
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		h.CloseClientConnections()
		h.Close()
		for session := range server.Sessions() {
			_ = session.Close()
		}
	})
	return g
}

// token makes a token.
func (g *team) token(t *testing.T, name string, r access.Rights) string {
	t.Helper()
	if len(r.Scopes) == 0 {
		r.Scopes = []string{access.Read, access.Run, access.Write}
	}
	secret, fault := g.tokens.Add(access.Token{Name: name, Rights: r})
	if fault != nil {
		t.Fatal(fault)
	}
	return secret
}

// bearer sends a token with each request.
type bearer struct {
	next  http.RoundTripper
	token string
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

// connect opens a session of the SDK's client with a token.
func (g *team) connect(t *testing.T, token, version string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	web := &http.Client{Transport: bearer{g.client.Transport, token}}
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: g.url + "/mcp", HTTPClient: web}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// A response is what came without its body.
type response struct {
	StatusCode int
	Header     http.Header
}

// ask sends one request and returns the response and its body.
func (g *team) ask(t *testing.T, method, path, token, body string, header ...string) (response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, g.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
			continue
		}
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := g.client.Transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return response{resp.StatusCode, resp.Header}, string(text)
}

// answerTo calls a tool and returns the text of its reply, or of the error.
func answerTo(ctx context.Context, s *mcp.ClientSession, tool, args string) string {
	r, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: raw(args)})
	if err != nil {
		return err.Error()
	}
	var all strings.Builder
	for _, c := range r.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			all.WriteString(text.Text)
		}
	}
	return all.String()
}
