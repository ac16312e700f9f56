package egress

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/encoding/charmap"

	"github.com/patchbay-mcp/patchbay/diag"
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
	var out bytes.Buffer
	fmt.Fprintf(&out, `{"status":%d,"headers":{`, resp.StatusCode)
	for i, name := range slices.Sorted(maps.Keys(resp.Header)) {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(quote(strings.ToLower(name)))
		out.WriteByte(':')
		out.Write(quote(strings.Join(resp.Header[name], ", ")))
	}
	out.WriteString(`},"body":`)
	out.Write(body)
	out.WriteByte('}')
	return out.Bytes(), nil
}

// value is the JSON value of a body.
func (c *Client) value(m *request, resp *http.Response, raw []byte) ([]byte, error) {
	kind, params, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case len(raw) == 0:
		return []byte("null"), nil
	case isJSON(kind):
		trimmed := bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\ufeff")))
		if text, ok := decoded(kind, params["charset"], raw); ok && !utf8.Valid(trimmed) {
			trimmed = bytes.TrimSpace([]byte(text))
		}
		if len(trimmed) == 0 {
			return []byte("null"), nil
		}
		if utf8.Valid(trimmed) && jsontext.Value(trimmed).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
			return trimmed, nil
		}
		if resp.StatusCode/100 == 2 {
			return nil, diag.Faultf(diag.CodeInvalidResponse, "the response to %s has the content type %s but is not JSON in UTF-8: %s", m.named, kind, beginning(raw)).
				WithHint("this is an error in the server")
		}
	}
	if text, ok := decoded(kind, params["charset"], raw); ok {
		return quote(text), nil
	}
	if kind == "" {
		kind = "application/octet-stream"
	}
	return fmt.Appendf(nil, `{"base64":%q,"mimeType":%s}`, base64.StdEncoding.EncodeToString(raw), quote(kind)), nil
}

func isJSON(kind string) bool {
	return kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json")
}

// isText reports whether a media type is one of text.
func isText(kind string) bool {
	switch kind {
	case "", "application/xml", "application/javascript", "application/ecmascript", "application/x-javascript", "application/yaml", "application/x-yaml", "application/toml",
		"application/x-www-form-urlencoded", "application/x-ndjson", "application/jsonl", "application/graphql", "application/sql", "application/rtf", "application/x-sh":
		return true
	}
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+xml") || strings.HasSuffix(kind, "+yaml") || isJSON(kind)
}

// decoded is a body of text. What claims to be text and is not, or is in a code that is not
// known here, is bytes.
func decoded(kind, charset string, raw []byte) (string, bool) {
	if !isText(kind) {
		return "", false
	}
	charset = strings.ToLower(charset)
	big := bytes.HasPrefix(raw, []byte("\xfe\xff")) || charset == "utf-16be"
	switch {
	case charset == "iso-8859-1", charset == "latin1", charset == "windows-1252", charset == "us-ascii": // which the web reads as one
		text, err := charmap.Windows1252.NewDecoder().Bytes(raw)
		return string(text), err == nil
	case big, bytes.HasPrefix(raw, []byte("\xff\xfe")), strings.HasPrefix(charset, "utf-16"):
		units := make([]uint16, len(raw)/2)
		for i := range units {
			if units[i] = binary.LittleEndian.Uint16(raw[2*i:]); big {
				units[i] = bits.ReverseBytes16(units[i])
			}
		}
		text := strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff")
		return text, len(raw)%2 == 0 && !strings.ContainsRune(text, utf8.RuneError)
	case charset != "" && charset != "utf-8" && charset != "utf8" && bytes.ContainsFunc(raw, func(r rune) bool { return r >= utf8.RuneSelf || r == '\x1b' }):
		return "", false
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	return string(raw), utf8.Valid(raw) && bytes.IndexByte(raw, 0) < 0
}

// beginning is the start of a body on one line.
func beginning(raw []byte) string {
	return diag.Cut(diag.OneLine(strings.ToValidUTF8(string(raw[:min(len(raw), 400)]), "")), 120)
}

func quote(s string) []byte {
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\ufffd"))
	if err != nil {
		return []byte(`""`)
	}
	return quoted
}
