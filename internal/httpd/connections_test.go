package httpd

import (
	"bufio"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

var loadFull = flag.Bool("load.full", false, "TestHalfOpenConnections has 1,000 connections, TestSlowReaders 100 clients")

// parts of a request that are no request yet.
var parts = []string{"", "POST /mcp", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Le"}

// dial opens a connection, and sends on it.
func dial(t *testing.T, to net.Addr, sent string) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", to.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_, _ = io.WriteString(c, sent) // the server may have closed it already
	return c
}

// TestHalfOpenConnections: connections on which no request arrives count until they end,
// by their clients or by the server. Others are served meanwhile.
func TestHalfOpenConnections(t *testing.T) {
	n := 20
	if *loadFull {
		n = 1000
	}
	serve := func(most int, patience time.Duration) *boundListener {
		inner, err := Listen("0", Exposure{})
		if err != nil {
			t.Fatal(err)
		}
		l := Bound(inner, most).(*boundListener)
		h := &http.Server{Handler: NewHealth(nil).Handler(Options{}), ReadHeaderTimeout: patience}
		served := make(chan error, 1)
		go func() { served <- h.Serve(l) }()
		t.Cleanup(func() {
			_ = h.Close()
			if err := <-served; !errors.Is(err, http.ErrServerClosed) {
				t.Error(err)
			}
		})
		return l
	}
	status := func(l net.Listener) int {
		c := dial(t, l.Addr(), "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		defer func() { _ = c.Close() }()
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			return 0
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}

	l := serve(n+1, time.Hour)
	var half []net.Conn
	for i := range n {
		half = append(half, dial(t, l.Addr(), parts[i%len(parts)]))
	}
	if got := status(l); got != http.StatusOK {
		t.Errorf("a request beside half-open connections gives %d", got)
	}
	for _, c := range half {
		_ = c.Close()
	}
	for l.open.Load() > 1 { // that of the request itself may be last
		status(l)
	}

	l = serve(n, 50*time.Millisecond)
	half = nil
	for i := range n {
		half = append(half, dial(t, l.Addr(), parts[i%len(parts)]))
	}
	for _, c := range half {
		_, _ = io.Copy(io.Discard, c) // until the server closes it
	}
}

// TestSlowReaders: clients that do not read are let go, and nothing of them remains.
func TestSlowReaders(t *testing.T) {
	n := 5
	if *loadFull {
		n = 100
	}
	ended := make(chan error, n)
	part := make([]byte, 1<<20)
	o := Options{WriteTimeout: 50 * time.Millisecond, InFlight: NewInFlight(n)}
	h := httptest.NewServer(o.Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(part); err != nil {
				ended <- err
				return
			}
		}
	}), Public))
	for range n {
		dial(t, h.Listener.Addr(), "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	}
	for range n {
		if err := <-ended; err == nil {
			t.Error("a handler ends without an error")
		}
	}
	h.Close() // waits for the requests
	if o.InFlight.requests != 0 {
		t.Errorf("%d requests are in progress", o.InFlight.requests)
	}
}

// deadlines notes whether a response has a deadline.
type deadlines struct {
	*httptest.ResponseRecorder
	at   time.Time
	with []bool // for each write and flush
}

func (d *deadlines) SetWriteDeadline(at time.Time) error {
	d.at = at
	return nil
}

func (d *deadlines) Write(b []byte) (int, error) {
	d.with = append(d.with, !d.at.IsZero())
	return d.ResponseRecorder.Write(b)
}

func (d *deadlines) FlushError() error {
	d.with = append(d.with, !d.at.IsZero())
	return nil
}

// TestSilentStreams: a response has a deadline while something is written, and none while
// it is silent: over HTTP/2 that would end it.
func TestSilentStreams(t *testing.T) {
	d := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	r.Host = "localhost"
	Options{}.Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, "first")
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		if !d.at.IsZero() {
			t.Error("a stream that is silent has a deadline")
		}
	}), Public).ServeHTTP(d, r)
	if len(d.with) != 2 || !d.with[0] || !d.with[1] {
		t.Errorf("writes and flushes have deadlines: %v", d.with)
	}
	if d.at.IsZero() {
		t.Error("the end of the response has no deadline")
	}
}
