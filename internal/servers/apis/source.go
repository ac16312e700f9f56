package apis

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/patchbay-mcp/patchbay/internal/sys/files"
)

// MaxSource is how many bytes a description of an API may have.
const MaxSource = 20 << 20

// IsURL reports whether a source is to be requested.
func IsURL(source string) bool {
	scheme, _, ok := strings.Cut(source, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// SameOrigin reports whether two URLs have the same scheme, host and port.
func SameOrigin(a, b string) bool {
	u, err := url.Parse(a)
	v, bad := url.Parse(b)
	return err == nil && bad == nil && strings.EqualFold(u.Scheme, v.Scheme) && strings.EqualFold(u.Host, v.Host)
}

// IsText reports whether a source is itself the description of an API: it has more than
// one line or a brace, which paths do not have, or begins with a comment or a quote.
func IsText(source string) bool {
	text := strings.TrimSpace(source)
	return strings.ContainsAny(text, "\n{") || strings.HasPrefix(text, "#") || strings.HasPrefix(text, `"`)
}

// ReadFile returns the text of a file of at most [MaxSource] bytes. The error names the file.
func ReadFile(path string) ([]byte, error) {
	text, err := files.Read(path, MaxSource)
	if err != nil {
		return nil, fmt.Errorf("file %s: %w", path, err)
	}
	return bytes.TrimPrefix(text, []byte("\ufeff")), nil
}

// Fetch returns the text at a URL. The error names the address: a status other than 2xx is
// one.
func (c *Client) Fetch(ctx context.Context, address, accept string) (*Response, error) {
	resp, err := c.Do(ctx, &Request{Method: http.MethodGet, URL: address, Header: http.Header{"Accept": {accept}}, Repeatable: true})
	if err != nil {
		return nil, err
	}
	if resp.Status/100 != 2 {
		return nil, fmt.Errorf("%s answered with HTTP %d: %s", Address(address), resp.Status, Beginning(resp.Body))
	}
	resp.Body = ReadBody(resp.Header.Get("Content-Type"), resp.Body).Text
	return resp, nil
}
