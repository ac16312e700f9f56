package httpd

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// An InFlight bounds the requests in progress, and how much memory their bodies take. The
// nil InFlight has no bound.
type InFlight struct {
	most int

	mu       sync.Mutex
	requests int
	bytes    int64
}

// NewInFlight returns a bound of so many requests; 0 means [DefaultMaxRequests].
func NewInFlight(most int) *InFlight { return &InFlight{most: cmp.Or(most, DefaultMaxRequests)} }

// enter reports whether a request may be served; if so, leave is to be called when it has
// been.
func (f *InFlight) enter() bool {
	if f == nil {
		return true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.requests >= f.most {
		return false
	}
	f.requests++
	return true
}

func (f *InFlight) leave() {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests--
}

// Load returns how many requests are in progress, and how many bytes of their bodies have
// arrived.
func (f *InFlight) Load() (requests int, bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests, f.bytes
}

// errBodies is the error of a body that is more than all bodies together may be.
var errBodies = errors.New("the bodies of the requests in progress take too much memory")

// countedBody is a body whose bytes are counted as they arrive.
type countedBody struct {
	io.Reader
	f    *InFlight
	read int64
}

// Read implements [io.Reader].
func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.read += int64(n)
	b.f.mu.Lock()
	defer b.f.mu.Unlock()
	if b.f.bytes += int64(n); b.f.bytes > MaxBodies {
		return n, errBodies
	}
	return n, err
}

// free ends the count: the body is no longer needed.
func (b *countedBody) free() {
	b.f.mu.Lock()
	defer b.f.mu.Unlock()
	b.f.bytes -= b.read
}

// A deadlineWriter gives a client a bounded time to take each part of a response. There
// is no deadline between the parts: over HTTP/2 it would end a stream that is silent.
type deadlineWriter struct {
	http.ResponseWriter
	c       *http.ResponseController
	timeout time.Duration
}

func (w *deadlineWriter) begin() { _ = w.c.SetWriteDeadline(time.Now().Add(w.timeout)) }
func (w *deadlineWriter) end()   { _ = w.c.SetWriteDeadline(time.Time{}) }

// Write implements [http.ResponseWriter].
func (w *deadlineWriter) Write(b []byte) (int, error) {
	w.begin()
	defer w.end()
	return w.ResponseWriter.Write(b)
}

// FlushError is for [http.ResponseController].
func (w *deadlineWriter) FlushError() error {
	w.begin()
	defer w.end()
	return w.c.Flush()
}

// Unwrap is for [http.ResponseController], which sets deadlines.
func (w *deadlineWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// recheck is how often it is looked whether the tokens of requests in progress are still
// valid: streams last for hours.
const recheck = 5 * time.Second

// streams are the requests in progress that came with a token. A request whose token is
// revoked or expires is cancelled.
type streams struct {
	mu    sync.Mutex
	next  int
	open  map[int]stream
	sweep *time.Timer // nil while nothing is open
}

type stream struct {
	token  string
	cancel context.CancelFunc
}

// add notes a request; what it returns is to be called when the request ends.
func (s *streams) add(a *Auth, token string, cancel context.CancelFunc) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[int]stream{}
	}
	s.next++
	id := s.next
	s.open[id] = stream{token, cancel}
	if s.sweep == nil {
		s.sweep = time.AfterFunc(recheck, a.Recheck)
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.open, id)
	}
}

// Recheck cancels requests in progress whose token has been revoked or has expired.
func (a *Auth) Recheck() {
	s := &a.streams
	s.mu.Lock()
	open := make([]stream, 0, len(s.open))
	for _, one := range s.open {
		open = append(open, one)
	}
	s.mu.Unlock()
	for _, one := range open {
		if _, err := a.Verify(context.Background(), one.token); err != nil {
			one.cancel()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) == 0 {
		s.sweep = nil
		return
	}
	s.sweep.Reset(recheck)
}
