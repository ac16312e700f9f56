package mcpserver

import (
	"io"
	"net/http"
	"sync/atomic"
)

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
func (h *Health) Handler(o HTTPOptions) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if !h.ready() {
			http.Error(w, "not ready", http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "ok\n")
	})
	return o.guard(mux, public)
}
