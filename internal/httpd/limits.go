package httpd

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"time"
)

// MaxBody is how many bytes the body of a request over HTTP may have.
const MaxBody = 16 << 20

// What HTTP clients may take unless [Options] say otherwise.
const (
	DefaultMaxConnections = 4000
	DefaultBodyTimeout    = 30 * time.Second
	DefaultWriteTimeout   = 30 * time.Second
	DefaultMaxRequests    = 4000
	// MaxBodies is how many bytes the bodies of all requests in progress may have.
	MaxBodies = 256 << 20
	// MaxHeader is how many bytes the header of a request may have.
	MaxHeader = 64 << 10
)

// retryAfter is when a client that is turned away may try again, in seconds.
const retryAfter = "5"

// Options say who may make requests, and what each may take.
type Options struct {
	BodyTimeout    time.Duration  // for the body of a request to arrive; 0 means DefaultBodyTimeout
	WriteTimeout   time.Duration  // for the client to take what is written; 0 means DefaultWriteTimeout
	InFlight       *InFlight      // bounds the requests of all handlers that share it; nil: there is no bound
	AllowedOrigins []string       // of web pages, in addition to the server's own
	Hosts          []string       // names of the server, in addition to loopback names
	Certificate    *Certificate   // whose names are the server's too; it may be nil
	Proxies        []netip.Prefix // whose X-Forwarded-* are heeded
	ProxiedOnly    bool           // answer nobody else
	Auth           *Auth          // nil: every request is that of the local user
	// SignIn completes a request that shows whose it is otherwise than by a token in its
	// header, before that is judged; or it has answered the request, and returns nil. A nil
	// SignIn completes none.
	SignIn func(http.ResponseWriter, *http.Request) *http.Request
	Logger *slog.Logger // nil logs nothing
}

// Guard serves the requests that the options let pass, of principals that have a scope.
func (o Options) Guard(next http.Handler, scope string) http.Handler {
	patience, slow := cmp.Or(o.BodyTimeout, DefaultBodyTimeout), cmp.Or(o.WriteTimeout, DefaultWriteTimeout)
	next = o.Auth.Require(o.withBody(next), scope)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		if r.ContentLength != 0 { // also of a request that is refused: its body is read to the end
			_ = c.SetReadDeadline(time.Now().Add(patience))
		}
		r = forwarded(r, o.Proxies)
		if refused(w, r, &o) || allowCORS(w, r) {
			return
		}
		if !o.InFlight.enter() {
			Unavailable(w, "there are too many requests in progress")
			return
		}
		defer o.InFlight.leave()
		out := &deadlineWriter{w, c, slow}
		if o.SignIn != nil {
			if r = o.SignIn(out, r); r == nil {
				return
			}
		}
		next.ServeHTTP(out, r)
		out.begin() // for what is buffered
	})
}

// withBody serves requests whose bodies have arrived.
func (o Options) withBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			if o.InFlight != nil {
				counted := &countedBody{Reader: r.Body, f: o.InFlight}
				defer counted.free()
				r.Body = struct {
					io.Reader
					io.Closer
				}{counted, r.Body}
			}
			if !readBody(w, r) {
				return
			}
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
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
	case errors.Is(err, errBodies):
		Unavailable(w, errBodies.Error())
	case errors.Is(err, os.ErrDeadlineExceeded):
		w.Header().Set("Connection", "close")
		http.Error(w, "the body of the request did not arrive in time", http.StatusRequestTimeout)
	default:
		http.Error(w, "the body of the request cannot be read", http.StatusBadRequest)
	}
	return false
}

// Unavailable turns a client away for a while.
func Unavailable(w http.ResponseWriter, why string) {
	w.Header().Set("Retry-After", retryAfter)
	http.Error(w, why, http.StatusServiceUnavailable)
}
