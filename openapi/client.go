package openapi

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// A client makes the requests to one API and to its documents.
type client struct {
	api   *apis.Client // with the operator's headers
	plain *apis.Client // without, for what is elsewhere
	docs  *apis.Client // for documents, which may be larger than answers

	base    *url.URL            // of the options; nil if the document decides
	headers map[string]string   // of the options
	hide    func(string) string // masks the operator's secrets
}

// newClient returns the client that the options ask for.
func newClient(o *Options) (*client, error) {
	c := &client{headers: o.Headers, hide: masker(o)}
	if o.URL != "" {
		u, err := url.Parse(o.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, fmt.Errorf("url %s is not an http or https URL", diag.Quote(o.URL))
		}
		c.base = u
	}
	for name, value := range o.Headers {
		if !isToken(name) || !isFieldValue(value) {
			return nil, fmt.Errorf("the header %s is not valid", diag.Quote(name))
		}
	}
	options := apis.ClientOptions{Transport: o.Transport, Timeout: o.Timeout, MaxBytes: o.MaxBytes}
	c.plain = apis.NewClient(options)
	options.Headers = o.Headers
	c.api = apis.NewClient(options)
	options.MaxBytes = apis.MaxSource
	if source, err := url.Parse(o.Source); err == nil && c.base != nil && origin(c.base) != origin(source) {
		options.Headers = nil // they are meant for the API
	}
	c.docs = apis.NewClient(options)
	return c, nil
}

// hasHeader reports whether the operator sets a header.
func (c *client) hasHeader(name string) bool {
	for have := range c.headers {
		if strings.EqualFold(have, name) {
			return true
		}
	}
	return false
}

// origin is the scheme, host and port of a URL.
func origin(u *url.URL) string {
	host := strings.ToLower(u.Host)
	if u.Port() == "" {
		host += map[string]string{"http": ":80", "https": ":443"}[u.Scheme]
	}
	return u.Scheme + "://" + host
}

// status writes a status as HTTP does, such as "404 Not Found".
func status(code int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
}

// isToken reports whether a text is the name of a header or cookie.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// isFieldValue reports whether a text can be the value of a header.
func isFieldValue(s string) bool {
	return !slices.ContainsFunc([]byte(s), func(c byte) bool { return c < ' ' && c != '\t' || c == 0x7f })
}
