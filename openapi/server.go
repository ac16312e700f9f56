package openapi

import (
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// newClient returns the client that the options ask for.
func newClient(o *Options) (*client, error) {
	c := &client{timeout: o.Timeout, maxBytes: o.MaxBytes, wait: sleep, headers: http.Header{}}
	if c.timeout <= 0 {
		c.timeout = DefaultTimeout
	}
	if c.maxBytes <= 0 {
		c.maxBytes = DefaultMaxBytes
	}
	if o.URL != "" {
		u, err := url.Parse(o.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, fmt.Errorf("url %s is not an http or https URL", diag.Quote(o.URL))
		}
		c.base = u
	}
	for name, value := range o.Headers {
		name = textproto.CanonicalMIMEHeaderKey(name)
		if !isToken(name) || !isFieldValue(value) {
			return nil, fmt.Errorf("the header %s is not valid", diag.Quote(name))
		}
		c.headers.Set(name, value)
	}
	c.hide = masker(o)
	transport := o.Transport
	if transport == nil {
		transport = &http.Transport{ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 8, MaxResponseHeaderBytes: 256 << 10}
	}
	c.http = &http.Client{Transport: transport, CheckRedirect: sameOrigin}
	return c, nil
}

// server returns the URL of the first of a list of servers: the operator's, if there
// is one. It is nil where the document's cannot be known.
func (a *api) server(list *node) (*url.URL, error) {
	if a.client.base != nil {
		return a.client.base, nil
	}
	address := "/"
	for n := range list.items() {
		text, err := a.substituted(n)
		if err != nil {
			return nil, err
		}
		address = text
		break
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%s: the server %s is not a URL: set url", a.file.name, diag.Quote(address))
	}
	if a.file.url != nil {
		u = a.file.url.ResolveReference(u)
	}
	if u.Host == "" {
		return nil, nil
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s: the server %s is not an http or https URL: set url", a.file.name, diag.Quote(address))
	}
	return u, nil
}

// substituted is a server's URL with its variables.
func (a *api) substituted(n *node) (string, error) {
	text := n.get("url").label()
	variables := n.get("variables")
	for name, v := range variables.fields() {
		value, set := a.options.Variables[name]
		if !set {
			value = v.get("default").label()
		}
		var choices []string
		for choice := range v.get("enum").items() {
			choices = append(choices, choice.label())
		}
		if len(choices) > 0 && !slices.Contains(choices, value) {
			return "", a.file.fault(v, "the server variable %s is %s, which is not one of %s", diag.Quote(name), diag.Quote(value), diag.OneOf(choices, 10))
		}
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	for _, name := range slices.Sorted(maps.Keys(a.options.Variables)) {
		text = strings.ReplaceAll(text, "{"+name+"}", a.options.Variables[name])
	}
	if strings.ContainsAny(text, "{}") {
		return "", a.file.fault(n, "the server %s has a variable without a value: set url, or the variable", diag.Quote(text))
	}
	return text, nil
}

// isToken reports whether a text is the name of a header or cookie.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// isFieldValue reports whether a text can be the value of a header.
func isFieldValue(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}
