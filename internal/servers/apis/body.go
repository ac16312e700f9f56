package apis

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
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
)

// A Body is what a response carries, decoded for http nodes and for the tools of APIs alike.
type Body struct {
	Kind   string // the media type in lower case, without parameters
	Text   []byte // in UTF-8 and without a byte order mark, if IsText; else as they came
	IsText bool
}

// ReadBody decodes a body. What claims to be text and is not, or is in a code that is not known
// here, is bytes.
func ReadBody(contentType string, raw []byte) *Body {
	kind, params, _ := mime.ParseMediaType(contentType)
	text, ok := decoded(kind, params["charset"], raw)
	switch unmarked := bytes.TrimPrefix(raw, []byte("\ufeff")); {
	case !IsTextType(kind):
		text = raw
	case !ok || IsJSON(kind) && utf8.Valid(unmarked) && bytes.IndexByte(unmarked, 0) < 0: // JSON is in UTF-8, whatever it says
		text = unmarked
	}
	return &Body{kind, text, ok}
}

// JSON returns the JSON value that the body is, if it is one.
func (b *Body) JSON() (value []byte, ok bool) {
	value = bytes.TrimSpace(b.Text)
	return value, json.Valid(value)
}

// Lines returns the list of the JSON values that the body has one after the other, such as one on each
// line.
func (b *Body) Lines() (list []byte, ok bool) {
	in := json.NewDecoder(bytes.NewReader(bytes.ReplaceAll(b.Text, []byte("\x1e"), []byte("\n")))) // which begins each of application/json-seq
	values := [][]byte{}
	for {
		var value json.RawMessage
		switch err := in.Decode(&value); {
		case errors.Is(err, io.EOF):
			return slices.Concat([]byte("["), bytes.Join(values, []byte(",")), []byte("]")), true
		case err != nil:
			return nil, false
		}
		values = append(values, value)
	}
}

// Value returns the JSON value that stands for the body by its media type: its own if it is JSON,
// the list of a sequence of JSON, a string if it is text, else {base64, mimeType}; null for
// nothing. It is not sound if the body claims to be JSON and is not.
func (b *Body) Value() (value []byte, sound bool) {
	sound = true
	if len(b.Text) == 0 {
		return []byte("null"), true
	}
	if IsLines(b.Kind) {
		if list, ok := b.Lines(); ok {
			return list, true
		}
	}
	if IsJSON(b.Kind) {
		if value, sound = b.JSON(); len(value) == 0 {
			return []byte("null"), true
		} else if sound = sound && utf8.Valid(value); sound {
			return value, true
		}
	}
	if b.IsText {
		return Quote(b.Text), sound
	}
	return b.Bytes(), sound
}

// Bytes returns the body as {base64, mimeType}.
func (b *Body) Bytes() []byte {
	kind := cmp.Or(b.Kind, "application/octet-stream")
	return fmt.Appendf(nil, `{"base64":%q,"mimeType":%s}`, base64.StdEncoding.EncodeToString(b.Text), Quote(kind))
}

// Answer returns a response with the JSON value of its body as http nodes have it: {status,
// headers, body}, names of headers in lower case.
func Answer(status int, headers http.Header, body json.RawMessage) json.RawMessage {
	out := fmt.Appendf(nil, `{"status":%d,"headers":{`, status)
	for i, name := range slices.Sorted(maps.Keys(headers)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, Quote(strings.ToLower(name))...), ':')
		out = append(out, Quote(strings.Join(headers[name], ", "))...)
	}
	return append(append(append(out, `},"body":`...), body...), '}')
}

// IsJSON reports whether a media type is one of JSON.
func IsJSON(kind string) bool {
	return kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json") && !IsLines(kind)
}

// IsLines reports whether a media type is one of a sequence of JSON values.
func IsLines(kind string) bool {
	switch kind {
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl", "application/jsonlines", "application/x-jsonlines", "application/stream+json", "application/json-seq":
		return true
	}
	return strings.HasSuffix(kind, "+json-seq")
}

// IsTextType reports whether a media type is one of text.
func IsTextType(kind string) bool {
	switch kind {
	case "", "application/xml", "application/javascript", "application/ecmascript", "application/x-javascript", "application/toml",
		"application/x-www-form-urlencoded", "application/graphql", "application/sql", "application/rtf", "application/x-sh":
		return true
	}
	return strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+xml") || strings.HasSuffix(kind, "yaml") || IsJSON(kind) || IsLines(kind)
}

func decoded(kind, charset string, raw []byte) ([]byte, bool) {
	if !IsTextType(kind) {
		return nil, false
	}
	charset = strings.ToLower(charset)
	big := bytes.HasPrefix(raw, []byte("\xfe\xff")) || charset == "utf-16be"
	switch {
	case charset == "iso-8859-1", charset == "latin1", charset == "windows-1252", charset == "us-ascii": // which the web reads as one
		text, err := charmap.Windows1252.NewDecoder().Bytes(raw)
		return text, err == nil
	case big, bytes.HasPrefix(raw, []byte("\xff\xfe")), strings.HasPrefix(charset, "utf-16"):
		units := make([]uint16, len(raw)/2)
		for i := range units {
			if units[i] = binary.LittleEndian.Uint16(raw[2*i:]); big {
				units[i] = bits.ReverseBytes16(units[i])
			}
		}
		text := strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff")
		return []byte(text), len(raw)%2 == 0 && !strings.ContainsRune(text, utf8.RuneError)
	case charset != "" && charset != "utf-8" && charset != "utf8" && bytes.ContainsFunc(raw, func(r rune) bool { return r >= utf8.RuneSelf || r == '\x1b' }):
		return nil, false
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	return raw, utf8.Valid(raw) && bytes.IndexByte(raw, 0) < 0
}

// Quote returns a text as JSON.
func Quote[T string | []byte](s T) []byte {
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(string(s), "\ufffd"))
	if err != nil {
		return []byte(`""`)
	}
	return quoted
}
