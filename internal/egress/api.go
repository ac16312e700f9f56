package egress

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// APITransport returns what sends the requests of an API that the operator configured
// by these URLs. Naming a URL allows its origin, and its host to have a private address;
// every other origin is refused, also as the target of a redirect. What the policy
// allows http nodes does not count, and http nodes may not request the API by this. As for them, no proxy is
// used, addresses are judged when the connection is made, and the addresses of
// metadata services are refused for host names. Texts that are not URLs are ignored.
// [Client.Close] closes its idle connections.
func (c *Client) APITransport(urls ...string) http.RoundTripper {
	var policy Policy
	var origins []string
	for _, text := range urls {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.Contains(u.Host, "*") {
			continue
		}
		policy.Allow = append(policy.Allow, Prefix{Scheme: u.Scheme, Host: hostOf(u), Port: portOf(u)})
		policy.Private = append(policy.Private, hostOf(u))
		origins = append(origins, origin(u))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := strings.Join(origins, " ")
	own := c.apis[key]
	if own == nil {
		if c.apis == nil {
			c.apis = map[string]*Client{}
		}
		own = New(&Options{Policy: policy, Redact: c.o.Redact, Dial: c.o.Dial, TLS: c.o.TLS})
		c.apis[key] = own
	}
	return apiTransport{own}
}

type apiTransport struct{ *Client }

// RoundTrip implements [http.RoundTripper]. The error for an origin that is not the
// API's is a [*diag.Fault].
func (t apiTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !slices.ContainsFunc(t.o.Allow, func(p Prefix) bool { return p.isAt(req.URL) }) {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, diag.Faultf("http-refused", "%s is not an origin of this API", origin(req.URL)).
			WithHint("the configuration of the API names the URLs that may be requested")
	}
	return t.transport.RoundTrip(req)
}
