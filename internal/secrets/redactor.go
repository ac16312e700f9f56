package secrets

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Hidden replaces a secret in data that leaves the program.
const Hidden = "***"

const (
	cutMark = "…" // the end of a text that was cut
	minPart = 4   // bytes of a secret that are masked before a cutMark
)

// A Redactor masks secrets in what leaves the program: replies, logs, and what is
// written to disk. It must not be used on what graphs compute with. A nil
// Redactor masks nothing.
//
// In a text that was cut short and ends in "…", the beginning of a secret is
// masked too.
type Redactor struct {
	values   []string // longest first
	replacer *strings.Replacer
}

// NewRedactor returns a Redactor of those of the values that are long enough to be
// secrets, and of their usual spellings: inside a JSON string, in a URL and in
// base64.
func NewRedactor(values []string) *Redactor {
	var all []string
	for _, v := range values {
		v = strings.TrimSpace(v)
		if len(v) < MinSecret {
			continue
		}
		all = append(all, v, url.QueryEscape(v), url.PathEscape(v))
		all = append(all, base64Forms(v)...)
		for _, quote := range []func(any) ([]byte, error){json.Marshal, quoteJSON} {
			if q, err := quote(v); err == nil {
				all = append(all, string(q[1:len(q)-1]))
			}
		}
		if strings.Contains(v, "\n") { // a key file's lines are shown one by one
			for line := range strings.Lines(v) {
				if line = strings.TrimSpace(line); len(line) >= 2*MinSecret {
					all = append(all, line)
				}
			}
		}
	}
	// A replacer prefers the earlier of two that match at one place: the longest
	// must come first, or the rest of a longer secret would stay.
	slices.SortFunc(all, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	all = slices.Compact(all)
	pairs := make([]string, 0, 2*len(all))
	for _, v := range all {
		pairs = append(pairs, v, Hidden)
	}
	return &Redactor{values: all, replacer: strings.NewReplacer(pairs...)}
}

// String does not say what is hidden.
func (r *Redactor) String() string { return "redactor" }

// GoString is String, for %#v.
func (r *Redactor) GoString() string { return r.String() }

// quoteJSON quotes without the HTML escapes of [json.Marshal].
func quoteJSON(v any) ([]byte, error) { return jsontext.AppendQuote(nil, v.(string)) }

// Redact returns s with every secret replaced by ***. For JSON text use
// [Redactor.RedactJSON], which keeps it JSON.
func (r *Redactor) Redact(s string) string {
	if r == nil || len(r.values) == 0 {
		return s
	}
	s = r.replacer.Replace(s)
	if !strings.Contains(s, cutMark) {
		return s
	}
	parts := strings.Split(s, cutMark)
	for i := range parts[:len(parts)-1] {
		parts[i] = r.withoutPart(parts[i])
	}
	return strings.Join(parts, cutMark)
}

// withoutPart masks the beginning of a secret at the end of a text.
func (r *Redactor) withoutPart(s string) string {
	longest := 0
	for _, v := range r.values {
		for n := min(len(v)-1, len(s)); n >= minPart && n > longest; n-- {
			if s[len(s)-n:] == v[:n] {
				longest = n
			}
		}
	}
	if longest == 0 {
		return s
	}
	return s[:len(s)-longest] + Hidden
}

// mayHold reports whether JSON text can hold a secret: literally, behind an
// escape, or cut short.
func (r *Redactor) mayHold(raw []byte) bool {
	if bytes.IndexByte(raw, '\\') >= 0 || bytes.Contains(raw, []byte(cutMark)) {
		return true
	}
	text := string(raw)
	return slices.ContainsFunc(r.values, func(v string) bool { return strings.Contains(text, v) })
}

// RedactJSON returns JSON text with the secrets in its strings and keys
// replaced, still JSON and otherwise byte for byte the same; a long number that
// holds a secret becomes a string. Text that is not JSON is redacted as text.
func (r *Redactor) RedactJSON(raw json.RawMessage) json.RawMessage {
	if r == nil || len(r.values) == 0 || !r.mayHold(raw) {
		return raw
	}
	var out bytes.Buffer
	done := 0 // bytes of raw that are in out
	dec := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		before := int(dec.InputOffset())
		tok, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return json.RawMessage(r.Redact(string(raw)))
		}
		kind := tok.Kind()
		if kind != '"' && kind != '0' {
			continue
		}
		text := tok.String()
		clean := r.Redact(text)
		if clean == text {
			continue
		}
		quoted, err := jsontext.AppendQuote(nil, clean)
		if err != nil { // not valid UTF-8
			quoted = []byte(`"` + Hidden + `"`)
		}
		start := before + len(raw[before:]) - len(bytes.TrimLeft(raw[before:], " \t\r\n,:"))
		out.Write(raw[done:start])
		out.Write(quoted)
		done = int(dec.InputOffset())
	}
	if done == 0 {
		return raw
	}
	out.Write(raw[done:])
	return out.Bytes()
}

// Mask hides secrets behind as many characters as they have, so that places in
// s stay where they are.
func (r *Redactor) Mask(s string) string {
	if r == nil {
		return s
	}
	for _, v := range r.values {
		if strings.Contains(s, v) {
			s = strings.ReplaceAll(s, v, strings.Repeat("*", utf8.RuneCountInString(v)))
		}
	}
	return s
}
