package openapi

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The bounds of one request where the options set none.
const (
	DefaultTimeout  = 30 * time.Second
	DefaultMaxBytes = 10 << 20
)

const (
	maxRedirects = 5
	maxAttempts  = 3 // of a request that only reads
)

// A client makes the requests to one API and to its documents.
type client struct {
	http     *http.Client
	base     *url.URL // of the options; nil if the document decides
	headers  http.Header
	timeout  time.Duration
	maxBytes int64
	wait     func(context.Context, time.Duration) error // between attempts
	hide     func(string) string                        // masks the operator's secrets
}

// send makes a request and follows redirects within its origin. The error says what
// went wrong without the URL.
func (c *client) send(req *http.Request) (*http.Response, error) {
	resp, err := c.http.Do(req)
	if err == nil {
		return resp, nil
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	dns, unknown := errors.AsType[*net.DNSError](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("there was no answer within %s", c.timeout)
	case unknown:
		return nil, fmt.Errorf("%s: %s", dns.Err, dns.Name)
	}
	return nil, err
}

// sameOrigin refuses redirects that lead elsewhere: headers and credentials are meant
// for one server.
func sameOrigin(req *http.Request, via []*http.Request) error {
	switch first := via[0]; {
	case len(via) > maxRedirects:
		return fmt.Errorf("it was redirected more than %d times", maxRedirects)
	case origin(req.URL) != origin(first.URL):
		return fmt.Errorf("it was redirected to %s, which is not followed because it is another origin", shown(req.URL))
	case first.Method != req.Method:
		return errNotFollowed
	}
	return nil
}

// errNotFollowed makes a redirect the answer.
var errNotFollowed = http.ErrUseLastResponse

// body reads the body of an answer, decompressed, of at most so many bytes.
func (c *client) body(ctx context.Context, resp *http.Response, maxBytes int64) ([]byte, error) {
	var r io.Reader = resp.Body
	if strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") && !resp.Uncompressed {
		z, err := gzip.NewReader(resp.Body)
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("is not valid gzip: %w", err)
		}
		r = z
	}
	text, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	switch {
	case int64(len(text)) > maxBytes:
		return nil, fmt.Errorf("is larger than the limit of %s", size(maxBytes))
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("was not complete within %s", c.timeout)
	case err != nil:
		return nil, fmt.Errorf("ended early: %w", err)
	}
	return text, nil
}

func (c *client) setHeaders(req *http.Request) {
	for name, values := range c.headers {
		req.Header[name] = values
		if name == "Host" {
			req.Host = values[0]
		}
	}
}

// size writes a number of bytes for people.
func size(n int64) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// status writes a status as HTTP does, such as "404 Not Found".
func status(code int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
}

// sleep waits, or returns the error of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
