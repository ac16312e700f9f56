package httpd

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/diag"
)

// Exposure is how a server is protected that other machines can reach.
type Exposure struct {
	TLS  bool // it has a certificate, or is behind proxies that have one
	Auth bool // it has tokens or an issuer of them
}

// Listen opens a listener on a loopback address: "8080", ":8080" and "localhost:8080" all
// mean loopback. Any other address is refused unless the server has TLS and knows its
// clients; the error says what it lacks.
func Listen(addr string, e Exposure) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		host, port = "", addr
	}
	if host == "" || host == "localhost" {
		host = "127.0.0.1"
	}
	ip := net.ParseIP(host)
	switch {
	case ip == nil:
		return nil, fmt.Errorf("%s is not an address to listen on: use 127.0.0.1:%s, or an IP address of this machine", addr, port)
	case !ip.IsLoopback() && (!e.TLS || !e.Auth):
		return nil, exposed(addr, port, e)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port)) //nolint:noctx // lives as long as the process
	if err != nil {
		if op, ok := errors.AsType[*net.OpError](err); ok {
			return nil, fmt.Errorf("cannot listen on %s: %w", addr, op.Err)
		}
		return nil, err
	}
	return l, nil
}

var codeExposedAddress = diag.DefineFault("exposed-address", diag.RefusesRequest, "`serve` would listen on an address that other machines can reach, without TLS, tokens or an issuer", "the message says what is missing ([serve a team](team.md))")

// exposed is the fault of an address that other machines can reach although the server is
// not protected.
func exposed(addr, port string, e Exposure) *diag.Fault {
	var missing []string
	if !e.TLS {
		missing = append(missing, "TLS (serve.tls: {cert, key}, or a proxy in serve.trustedProxies)")
	}
	if !e.Auth {
		missing = append(missing, "a token (patchbay token add NAME) or serve.oauth.issuer")
	}
	return diag.Faultf(codeExposedAddress, "%s is not a loopback address, and the server lacks %s", addr, strings.Join(missing, ", and ")).
		WithHint("other machines can reach this address; to serve this machine only use 127.0.0.1:" + port)
}

// Health answers whether the process lives (/healthz), and whether it takes requests
// (/readyz). Neither says anything else.
type Health struct {
	loaded <-chan struct{} // closed when the catalog is loaded
	ending atomic.Bool
}

// NewHealth returns the health of a server that is ready when loaded is closed; nil means
// at once.
func NewHealth(loaded <-chan struct{}) *Health { return &Health{loaded: loaded} }

// End makes the server not ready: it ends, and what balances loads is to choose another.
func (h *Health) End() { h.ending.Store(true) }

func (h *Health) ready() bool {
	if h.ending.Load() {
		return false
	}
	if h.loaded == nil {
		return true
	}
	select {
	case <-h.loaded:
		return true
	default:
		return false
	}
}

// Handler serves /healthz and /readyz.
func (h *Health) Handler(o Options) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !h.ready() {
			http.Error(w, "not ready", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ok\n")
	})
	return o.Guard(mux, Public)
}
