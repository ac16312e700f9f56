package openapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
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
	if body := excerpt(a.Body); body != "" {
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
	text := bytes.TrimPrefix(a.Body, []byte("\ufeff"))
	media := a.Header.Get("Content-Type")
	trimmed := bytes.TrimSpace(text)
	var body []byte
	switch {
	case len(trimmed) == 0 && (r == nil || r.media == "" || r.form != textBody):
		body = []byte("null")
	case (r == nil || r.media == "" || r.form == jsonBody) && json.Valid(trimmed):
		body = bytes.ToValidUTF8(trimmed, []byte("\ufffd"))
	case r != nil && r.media != "" && r.form == jsonBody:
		return nil, fmt.Errorf("%s answered %s with %s, which is not JSON: %s", where, status(a.Status), mediaName(media), excerpt(text))
	case (r != nil && r.form == textBody || mediaForm(media) == textBody || media == "") && utf8.Valid(text):
		body = appendString(nil, string(text))
	default:
		body = appendString([]byte(`{"base64":`), base64.StdEncoding.EncodeToString(text))
		body = append(appendString(append(body, `,"mimeType":`...), media), '}')
	}
	if op.responses.bare {
		if body[0] == '{' {
			return apis.Success(body), nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(body)}}}, nil
	}
	return apis.Success(op.wrapped(a, body)), nil
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
