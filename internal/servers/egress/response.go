package egress

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

var codeHTTPTooLarge = diag.DefineFault("http-too-large", diag.FailsNode, "the body exceeds `egress.maxBytes`", "ask for less, or raise the limit")

// read turns a response into an answer.
func (c *Client) read(m *request, resp *http.Response) (json.RawMessage, error) {
	defer func() { _ = resp.Body.Close() }()
	tooLarge := func() error {
		return diag.Faultf(codeHTTPTooLarge, "%s was answered with more than %d bytes", m.named, c.o.MaxBytes).
			WithHint("ask for less, such as a page at a time; the operator sets the bound by egress.maxBytes in patchbay.yaml")
	}
	if resp.ContentLength > c.o.MaxBytes && m.method != http.MethodHead {
		return nil, tooLarge()
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, c.o.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("the response was cut off: %w", err)
	}
	if int64(len(raw)) > c.o.MaxBytes {
		return nil, tooLarge()
	}
	body, err := c.value(m, resp, raw)
	if err != nil {
		return nil, err
	}
	return apis.Answer(resp.StatusCode, resp.Header, body), nil
}

// value is the JSON value of a body.
func (c *Client) value(m *request, resp *http.Response, raw []byte) ([]byte, error) {
	b := apis.ReadBody(resp.Header.Get("Content-Type"), raw)
	value, sound := b.Value()
	if !sound && resp.StatusCode/100 == 2 {
		return nil, diag.Faultf(diag.CodeInvalidResponse, "the response to %s has the content type %s but is not JSON in UTF-8: %s", m.named, b.Kind, beginning(raw)).
			WithHint("this is an error in the server")
	}
	return value, nil
}

// beginning is the start of a body on one line.
func beginning(raw []byte) string {
	return diag.Cut(diag.OneLine(strings.ToValidUTF8(string(raw[:min(len(raw), 400)]), "")), 120)
}
