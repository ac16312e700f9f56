package httpd

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
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

// TestProxies: X-Forwarded-* count from trusted proxies only.
func TestProxies(t *testing.T) {
	var seen *http.Request
	o := Options{Hosts: []string{"patchbay.example.com"}, Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, ProxiedOnly: true}
	h := o.Guard(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r }), Public)
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

// TestHealth: a server is ready when it is loaded, until it ends.
func TestHealth(t *testing.T) {
	loaded := make(chan struct{})
	health := NewHealth(loaded)
	status := func(path string) int {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.Host = "localhost"
		health.Handler(Options{}).ServeHTTP(w, r)
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
	o := Options{InFlight: NewInFlight(1)}
	h := o.Guard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		entered <- struct{}{}
		<-release
	}), Public)
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
	o := Options{WriteTimeout: 50 * time.Millisecond}
	h := httptest.NewServer(o.Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		part := make([]byte, 1<<20)
		for {
			if _, err := w.Write(part); err != nil {
				ended <- err
				return
			}
		}
	}), Public))
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
