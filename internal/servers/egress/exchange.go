package egress

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/run"
)

// maxRedirects is how many redirects one request follows.
const maxRedirects = 5

var (
	codeHTTPTimeout = diag.DefineFault("http-timeout", diag.FailsAttempt, "no response within `egress.timeoutMs`", "add `retry`, or raise the limit")
	codeHTTPFailed  = diag.DefineFault("http-failed", diag.FailsAttempt, "the connection failed", "check the address; add `retry`")
)

// Do makes a request, a JSON object with method, url, query, headers, auth and
// body; all but the first two may be absent. In its texts ${NAME} is the
// value of a variable and $${ is ${ itself; keys are as they are. Objects and
// lists of the body are sent as JSON, or as a form if its content type says so.
//
// A key, if not empty, tells the server of a POST or PATCH that is repeated from a
// new one, in the header Idempotency-Key, unless the request has one.
//
// The answer is {"status", "headers", "body"}: names of headers in lower case, the
// body as the JSON value it is, as text, as {"base64", "mimeType"}, or null when
// there is none; ok says that the status is 2xx. It holds what came back, secrets
// included. The error is a [run.CallError]: of ctx's own when ctx has ended, else of a
// [diag.Fault]: bad-request, http-not-allowed, http-refused (a private address, or a
// redirect that is not followed), http-failed, http-timeout, http-too-large,
// invalid-response.
func (c *Client) Do(ctx context.Context, request json.RawMessage, key string) (answer json.RawMessage, ok bool, err error) {
	m, fault := c.newRequest(request)
	if fault != nil {
		return nil, false, &run.CallError{Outcome: run.CallNotSent, Err: c.hide(fault, m.secrets)}
	}
	if key != "" && (m.method == http.MethodPost || m.method == http.MethodPatch) && m.header.Get("Idempotency-Key") == "" {
		m.header.Set("Idempotency-Key", key)
	}
	bounded, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	answer, ok, err = c.exchange(bounded, m)
	switch {
	case err == nil:
		return answer, ok, nil
	case ctx.Err() != nil:
		err = ctx.Err()
	case bounded.Err() != nil:
		f := diag.Faultf(codeHTTPTimeout, "%s was not answered within %s", m.named, c.o.Timeout.Round(time.Millisecond))
		f.Hint = "ask for less at once; the operator sets the bound by egress.timeoutMs in patchbay.yaml"
		err = c.hide(f, m.secrets)
	default:
		err = c.hide(m.failure(err), m.secrets)
	}
	return nil, false, &run.CallError{Outcome: m.outcome(), Err: err}
}

// outcome is what came of a request without an answer. A redirect may follow a request
// that took effect.
func (m *request) outcome() run.CallOutcome {
	switch {
	case !m.sent.Load():
		return run.CallNotSent
	case m.status/100 == 2:
		return run.CallCompleted
	case m.status >= http.StatusBadRequest && !FromGateway(m.status):
		return run.CallRefused
	}
	return run.CallUnknown
}

// FromGateway reports whether a status is that of a gateway without an answer of the
// server after it, which may have carried the request out.
func FromGateway(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusGatewayTimeout
}

// exchange sends a request and reads the answer that its redirects lead to.
func (c *Client) exchange(ctx context.Context, m *request) (json.RawMessage, bool, error) {
	for redirects := 0; ; redirects++ {
		resp, err := c.send(ctx, m)
		if err != nil {
			return nil, false, err
		}
		m.status = resp.StatusCode
		location := resp.Header.Get("Location")
		if location == "" || !slices.Contains([]int{301, 302, 303, 307, 308}, resp.StatusCode) {
			answer, err := c.read(m, resp)
			return answer, resp.StatusCode/100 == 2, err
		}
		_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // what is read whole can be used again
		_ = resp.Body.Close()
		if redirects == maxRedirects {
			return nil, false, diag.Faultf(codeHTTPRefused, "%s was redirected more than %d times", m.named, maxRedirects)
		}
		if err := c.follow(m, resp.StatusCode, location); err != nil {
			return nil, false, err
		}
	}
}

func (c *Client) send(ctx context.Context, m *request) (*http.Response, error) {
	var body io.Reader
	if m.body != nil {
		body = bytes.NewReader(m.body)
	}
	m.status = 0
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { m.sent.Store(true) }})
	req, err := http.NewRequestWithContext(ctx, m.method, m.url.String(), body)
	if err != nil {
		return nil, err
	}
	req.Header = m.header.Clone()
	if m.method == http.MethodPost || m.method == http.MethodPatch {
		for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
			if values, there := req.Header[name]; there { // the transport repeats a lost request that has such a header
				delete(req.Header, name)
				req.Header[strings.ToLower(name)] = values
			}
		}
	}
	return c.transport.RoundTrip(req)
}

// follow changes m into the request that a redirect asks for. The body,
// credentials and variables for one origin are not sent to another.
func (c *Client) follow(m *request, status int, location string) error {
	refused := func(f *diag.Fault) error {
		f.Message = m.named + " was redirected, and that is not followed: " + f.Message
		if f.Code == diag.CodeBadRequest {
			f.Code = codeHTTPRefused
		}
		return f
	}
	to, err := m.url.Parse(location)
	if err != nil {
		return refused(diag.Faultf(codeHTTPRefused, "%q is not a URL", shown(location)))
	}
	to, fault := parseURL(to.String())
	if fault != nil {
		return refused(fault)
	}
	if status == http.StatusSeeOther && m.method != http.MethodHead || status <= http.StatusFound && m.method == http.MethodPost {
		if m.method != http.MethodGet {
			m.method, m.body = http.MethodGet, nil
			m.header.Del("Content-Type")
		}
	}
	carried := m.used
	if origin(to) != origin(m.url) {
		if m.body != nil {
			f := diag.Faultf(codeHTTPRefused, "its body would go from %s to %s", origin(m.url), origin(to))
			f.Hint = "if the body may be sent there, send the request to that URL"
			return refused(f)
		}
		for _, name := range m.originBound {
			m.header.Del(name)
		}
		carried, m.used, m.originBound = nil, nil, nil
	}
	if fault := c.allows(to, carried); fault != nil {
		return refused(fault)
	}
	m.url = to
	return nil
}

// failure says why there is no answer.
func (m *request) failure(err error) *diag.Fault {
	if f, ok := errors.AsType[*diag.Fault](err); ok {
		f := *f
		return &f
	}
	f := diag.Faultf(codeHTTPFailed, "%s failed: %v", m.named, err)
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		f.Message = m.named + " failed: " + dns.Err + ": " + dns.Name
		f.Hint = "check the host's name"
		return f
	}
	switch _, badCert := errors.AsType[*tls.CertificateVerificationError](err); {
	case badCert:
		f.Hint = "the server's certificate is not trusted; to trust a private authority, set SSL_CERT_FILE in the environment of patchbay"
	case errors.Is(err, syscall.ECONNREFUSED):
		f.Message = m.named + " failed: nothing accepts connections there"
		f.Hint = "check host and port"
	default:
		f.Hint = "retry: {maxAttempts: 3} tries again"
	}
	return f
}
