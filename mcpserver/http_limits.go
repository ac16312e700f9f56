package mcpserver

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What HTTP clients may take unless [HTTPOptions] say otherwise.
const (
	DefaultMaxSessions    = 1000
	DefaultMaxConnections = 4000
	DefaultBodyTimeout    = 30 * time.Second
)

// retryAfter is when a client that is turned away may try again, in seconds.
const retryAfter = "5"

// HTTPOptions say how a server is offered over HTTP.
type HTTPOptions struct {
	// Sessions are those of the server's options; they may be nil.
	Sessions       *Sessions
	MaxSessions    int           // that are open at the same time; 0 means DefaultMaxSessions
	BodyTimeout    time.Duration // for the body of a request to arrive; 0 means DefaultBodyTimeout
	AllowedOrigins []string      // of web pages, in addition to the server's own
	Logger         *slog.Logger  // nil logs nothing
}

// guarded serves the requests of allowed origins, whose bodies arrive in time.
func guarded(next http.Handler, o HTTPOptions) http.Handler {
	patience := cmp.Or(o.BodyTimeout, DefaultBodyTimeout)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		if r.ContentLength != 0 { // also of a request that is refused: its body is read to the end
			_ = c.SetReadDeadline(time.Now().Add(patience))
		}
		if refused(w, r, o.AllowedOrigins) {
			return
		}
		if r.ContentLength != 0 {
			if !readBody(w, r) {
				return
			}
			_ = c.SetReadDeadline(time.Time{})
		}
		next.ServeHTTP(w, r)
	})
}

// readBody reads the body of a request into memory, or answers why it cannot.
func readBody(w http.ResponseWriter, r *http.Request) bool {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	switch {
	case err == nil:
		r.Body = io.NopCloser(bytes.NewReader(body))
		return true
	case errors.As(err, new(*http.MaxBytesError)):
		http.Error(w, fmt.Sprintf("the body of the request is larger than %d MiB", MaxBody>>20), http.StatusRequestEntityTooLarge)
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		http.Error(w, "the body of the request did not arrive in time", http.StatusRequestTimeout)
	default:
		http.Error(w, "the body of the request cannot be read", http.StatusBadRequest)
	}
	return false
}

// A doorway lets requests open sessions while there are not too many.
type doorway struct {
	server *mcp.Server
	most   int

	mu      sync.Mutex
	opening int // requests that may open one
}

// enter reports whether a request may open a session; if so, leave is to be called when
// it is answered.
func (d *doorway) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	open := d.opening
	for s := range d.server.Sessions() {
		if s.ID() != "" {
			open++
		}
	}
	if open >= d.most {
		return false
	}
	d.opening++
	return true
}

func (d *doorway) leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.opening--
}

// opens reports whether a request of the era of sessions opens one.
func opens(r *http.Request) bool {
	return r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == ""
}
