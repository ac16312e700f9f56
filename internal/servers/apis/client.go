package apis

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/sys/timelimit"
)

// The bounds of one request where [ClientOptions] set none.
const (
	DefaultTimeout  = 30 * time.Second
	DefaultMaxBytes = 10 << 20
)

// ClientOptions configure a [Client]. The zero ClientOptions are usable.
type ClientOptions struct {
	Transport http.RoundTripper // nil is one of its own, without a proxy
	Headers   map[string]string // of every request
	Timeout   time.Duration     // of one request with its answer; 0 is [DefaultTimeout]
	MaxBytes  int64             // of an answer's body, decompressed; 0 is [DefaultMaxBytes]
}

// A Client sends the requests of one API. It follows redirects only within the origin
// of the request, because headers may hold credentials, and only if they keep the method.
// It is safe for concurrent use.
type Client struct {
	o    ClientOptions
	http http.Client
}

// NewClient returns a client.
func NewClient(o ClientOptions) *Client {
	o.Timeout, o.MaxBytes = cmp.Or(o.Timeout, DefaultTimeout), cmp.Or(o.MaxBytes, DefaultMaxBytes)
	if o.Transport == nil {
		o.Transport = &http.Transport{
			TLSHandshakeTimeout: 10 * time.Second, ForceAttemptHTTP2: true,
			MaxIdleConnsPerHost: 8, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: 256 << 10,
		}
	}
	return &Client{o: o, http: http.Client{Transport: o.Transport, CheckRedirect: CheckRedirect}}
}

// errRedirect says why a redirect is not followed.
type errRedirect struct{ why string }

func (e *errRedirect) Error() string { return e.why }

const maxRedirects = 5

// CheckRedirect is for http.Client. It refuses a redirect to another origin, where headers
// and bodies may tell a secret, one that changes the method, and more than five.
func CheckRedirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host:
		return &errRedirect{"it redirects to another origin, " + req.URL.Scheme + "://" + req.URL.Host}
	case req.Method != first.Method:
		return &errRedirect{"it answers a " + first.Method + " with a redirect to a " + req.Method + " of " + Address(req.URL.String())}
	case len(via) > maxRedirects:
		return &errRedirect{fmt.Sprintf("it redirects more than %d times", maxRedirects)}
	}
	return nil
}

// A Request is one request of an API.
type Request struct {
	Method, URL string
	Header      http.Header // in addition to the client's; it wins
	Body        []byte
	Repeatable  bool // it may be sent again when it is lost or the server is overloaded
}

// A Response is what came back.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// MediaType is the content type without its parameters, in lower case.
func (r *Response) MediaType() string {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// tries is how often a repeatable request is sent, pause what is waited between.
const (
	tries = 3
	pause = 200 * time.Millisecond
)

// Do sends a request, a repeatable one up to three times. The error is that of ctx when
// it has ended, else a text for people that names the address without its query.
func (c *Client) Do(ctx context.Context, r *Request) (*Response, error) {
	for try := 1; ; try++ {
		resp, err := c.once(ctx, r)
		again := err != nil && isLost(err) || err == nil && isOverload(resp.Status)
		if !again || !r.Repeatable || try == tries || ctx.Err() != nil {
			return resp, err
		}
		delay := pause << (try - 1)
		if err == nil {
			delay = max(delay, timelimit.RetryAfter(resp.Header.Get("Retry-After"), resp.Header.Get("Date")))
		}
		if delay > c.o.Timeout || timelimit.Sleep(ctx, delay) != nil { // a longer wait is the caller's decision
			return resp, err
		}
	}
}

// A lostError is a request without an answer that may succeed when it is sent again.
type lostError struct{ error }

func isLost(err error) bool {
	_, ok := errors.AsType[*lostError](err)
	return ok
}

func isOverload(status int) bool {
	return status == http.StatusTooManyRequests || status >= http.StatusBadGateway && status <= http.StatusGatewayTimeout
}

func (c *Client) once(ctx context.Context, r *Request) (*Response, error) {
	bounded, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	var body io.Reader
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	req, err := http.NewRequestWithContext(bounded, r.Method, r.URL, body)
	if err != nil {
		return nil, fmt.Errorf("%s is not a URL that can be requested", Address(r.URL))
	}
	for name, value := range c.o.Headers {
		req.Header.Set(name, value)
	}
	maps.Copy(req.Header, r.Header)
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.failure(ctx, bounded, r, err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	if resp.ContentLength > c.o.MaxBytes && r.Method != http.MethodHead {
		return nil, c.tooLarge(r)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, c.o.MaxBytes+1))
	switch {
	case err != nil:
		return nil, c.failure(ctx, bounded, r, fmt.Errorf("the response was cut off: %w", err))
	case int64(len(data)) > c.o.MaxBytes:
		return nil, c.tooLarge(r)
	}
	return &Response{Status: resp.StatusCode, Header: resp.Header, Body: data}, nil
}

func (c *Client) tooLarge(r *Request) error {
	return fmt.Errorf("%s answered with more than %s", Address(r.URL), Size(c.o.MaxBytes))
}

// failure says why there is no answer.
func (c *Client) failure(ctx, bounded context.Context, r *Request, err error) error {
	at := Address(r.URL)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if bounded.Err() != nil {
		return fmt.Errorf("%s did not answer within %s", at, c.o.Timeout.Round(time.Millisecond))
	}
	if redirect, ok := errors.AsType[*errRedirect](err); ok {
		return fmt.Errorf("%s is not used: %s; configure the URL that it leads to", at, redirect.why)
	}
	if fault, ok := errors.AsType[*diag.Fault](err); ok {
		f := *fault
		f.Message = at + " is not requested: " + f.Message
		return &f
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return &lostError{fmt.Errorf("%s failed: %s: %s", at, dns.Err, dns.Name)}
	}
	if cert, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fmt.Errorf("%s failed: its certificate is not trusted: %w", at, cert.Err)
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return &lostError{fmt.Errorf("%s failed: nothing accepts connections there", at)}
	}
	if inner, ok := errors.AsType[*url.Error](err); ok {
		err = inner.Err
	}
	return &lostError{fmt.Errorf("%s failed: %w", at, err)}
}

// Address is a URL as messages show it: without user, query and fragment, where
// credentials may be.
func Address(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return diag.Quote(diag.Excerpt(text))
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return shown.String()
}

// Size writes a number of bytes for people.
func Size(bytes int64) string {
	if bytes >= 1<<20 && bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// Beginning is the start of a body on one line, for messages.
func Beginning(body []byte) string {
	return diag.Cut(diag.OneLine(strings.ToValidUTF8(string(body[:min(len(body), 600)]), "")), 200)
}
