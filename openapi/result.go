package openapi

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-mcp/patchbay/diag"
	"github.com/patchbay-mcp/patchbay/internal/servers/apis"
)

// maxShown is how many runes of an answer an error repeats.
const maxShown = 2000

// refusal is the error of an answer whose status is not 2xx.
func (op *operation) refusal(where string, a *apis.Response) error {
	message := where + " answered " + status(a.Status)
	if location := a.Header.Get("Location"); location != "" && a.Status/100 == 3 {
		message += ", a redirect that is not followed"
	}
	if body := excerpt(apis.ReadBody(a.Header.Get("Content-Type"), a.Body).Text); body != "" {
		message += ": " + body
	}
	if len(op.missing) > 0 && (a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden) {
		message += fmt.Sprintf("\nThe operator has not configured the credential that the operation needs: auth for %s.", diag.OneOf(op.missing, 5))
	}
	return errors.New(message)
}

// excerpt is the beginning of an answer, as an error repeats it.
func excerpt(text []byte) string {
	if !utf8.Valid(text) {
		return fmt.Sprintf("(%d bytes that are not text)", len(text))
	}
	return diag.Cut(strings.TrimSpace(string(text)), maxShown)
}

// result makes the result of an answer.
func (op *operation) result(where string, a *apis.Response) (*mcp.CallToolResult, error) {
	r := op.responses.of(strconv.Itoa(a.Status))
	documented := r != nil && r.media != ""
	b := apis.ReadBody(a.Header.Get("Content-Type"), a.Body)
	value, isJSON := b.JSON()
	var body []byte
	switch {
	case len(value) == 0 && (!documented || r.form != textBody):
		body = []byte("null")
	case documented && r.form == linesBody || !documented && apis.IsLines(b.Kind):
		body, _ = (&apis.Body{Kind: "application/x-ndjson", Text: b.Text, IsText: utf8.Valid(b.Text)}).Value()
	case isJSON && (!documented || r.form == jsonBody):
		body = bytes.ToValidUTF8(value, []byte("\ufffd"))
	case documented && r.form == jsonBody:
		return nil, fmt.Errorf("%s answered %s with %s, which is not JSON: %s", where, status(a.Status), mediaName(a.Header.Get("Content-Type")), excerpt(b.Text))
	case b.IsText, documented && r.form == textBody && utf8.Valid(b.Text):
		body = appendString(nil, string(b.Text))
	default:
		body = b.Bytes()
	}
	if op.responses.bare {
		if body[0] == '{' {
			return apis.Success(body), nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(body)}}}, nil
	}
	res := apis.Success(op.wrapped(a, body))
	switch kind, _, _ := strings.Cut(b.Kind, "/"); { // its base64 is no text to read
	case b.IsText:
	case kind == "image":
		res.Content = []mcp.Content{&mcp.ImageContent{Data: a.Body, MIMEType: b.Kind}}
	case kind == "audio":
		res.Content = []mcp.Content{&mcp.AudioContent{Data: a.Body, MIMEType: b.Kind}}
	}
	return res, nil
}

// mediaName is a content type in messages.
func mediaName(media string) string {
	if media == "" {
		return "a body without a content type"
	}
	return diag.Excerpt(media)
}

// wrapped is a result with what is wanted of an answer.
func (op *operation) wrapped(a *apis.Response, body []byte) []byte {
	r := &op.responses
	b := []byte{'{'}
	name := func(text string) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, text...)
	}
	if r.status || !r.hasBody() {
		name(`"status":`)
		b = strconv.AppendInt(b, int64(a.Status), 10)
	}
	head := op.method == http.MethodHead
	if r.headers || head {
		name(`"headers":{`)
		for i, key := range slices.Sorted(maps.Keys(a.Header)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, strings.ToLower(key)), ':')
			b = appendString(b, strings.Join(a.Header[key], ", "))
		}
		b = append(b, '}')
	}
	if !head && (r.hasBody() || string(body) != "null") {
		name(`"body":`)
		b = append(b, body...)
	}
	return append(b, '}')
}
