package egress

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/patchbay-mcp/patchbay/diag"
)

// auth sets the header with the credentials.
func (c *Client) auth(m *request, o *requestSpec) *diag.Fault {
	list, fault := members(o.Auth, "auth")
	if fault != nil || len(list) == 0 {
		return fault
	}
	const forms = "write {bearer: …}, {basic: {username: …, password: …}} or {header: {name: …, value: …}}"
	if len(list) > 1 {
		return badRequest(forms, "auth has %d members, it takes one", len(list))
	}
	name, value := "Authorization", ""
	part := func(raw json.RawMessage, key string) string {
		parts, wrong := members(raw, "auth."+list[0].name)
		if wrong != nil {
			fault = wrong
		}
		for _, p := range parts {
			if p.name == key {
				text, ok, wrong := c.text(m, p.value, "auth."+list[0].name+"."+key)
				if wrong != nil {
					fault = wrong
				}
				if ok {
					return text
				}
			}
		}
		if fault == nil {
			fault = badRequest(forms, "auth.%s has no %s", list[0].name, key)
		}
		return ""
	}
	switch list[0].name {
	case "bearer":
		token, ok, wrong := c.text(m, list[0].value, "auth.bearer")
		if fault = wrong; fault == nil && !ok {
			fault = badRequest(forms, "auth.bearer is empty")
		}
		value = "Bearer " + token
		m.hide(token)
	case "basic":
		user, password := part(list[0].value, "username"), part(list[0].value, "password")
		if strings.Contains(user, ":") {
			fault = badRequest("", "auth.basic.username contains a colon, which is not allowed")
		}
		value = "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
		m.hide(password)
		m.hide(strings.TrimPrefix(value, "Basic "))
	case "header":
		name, value = part(list[0].value, "name"), part(list[0].value, "value")
		m.hide(value)
	default:
		fault = badRequest(forms, "auth has no scheme %q", list[0].name)
	}
	if fault != nil {
		return fault
	}
	m.originBound = append(m.originBound, http.CanonicalHeaderKey(name))
	return m.set(name, value)
}

// hide notes a value that messages must not show.
func (m *request) hide(value string) { m.secrets = append(m.secrets, value) }

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
		policy.Allow = append(policy.Allow, Prefix{Scheme: u.Scheme, Host: hostname(u), Port: portNumber(u)})
		policy.Private = append(policy.Private, hostname(u))
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

var codeHTTPRefused = diag.DefineFault("http-refused", diag.FailsNode, "the address is private, or a redirect leads outside of what is allowed", "if intended, list the host under `egress.private`")

// RoundTrip implements [http.RoundTripper]. The error for an origin that is not the
// API's is a [*diag.Fault].
func (t apiTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !slices.ContainsFunc(t.o.Allow, func(p Prefix) bool { return p.isAt(req.URL) }) {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, diag.Faultf(codeHTTPRefused, "%s is not an origin of this API", origin(req.URL)).
			WithHint("the configuration of the API names the URLs that may be requested")
	}
	return t.transport.RoundTrip(req)
}

// A Reach is a transport to the origins of an API, which may have more than the
// configuration names: those of the servers in a document of the operator's own.
type Reach struct {
	client    *Client
	mu        sync.Mutex
	urls      []string
	transport atomic.Pointer[http.RoundTripper]
}

// APIReach returns the transport of [Client.APITransport], to which URLs can be added.
func (c *Client) APIReach(urls ...string) *Reach {
	r := &Reach{client: c}
	r.Add(urls...)
	return r
}

// Add allows the origins of more URLs.
func (r *Reach) Add(urls ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, url := range urls {
		if !slices.Contains(r.urls, url) {
			r.urls = append(r.urls, url)
		}
	}
	transport := r.client.APITransport(r.urls...)
	r.transport.Store(&transport)
}

// RoundTrip implements [http.RoundTripper].
func (r *Reach) RoundTrip(req *http.Request) (*http.Response, error) {
	return (*r.transport.Load()).RoundTrip(req)
}
