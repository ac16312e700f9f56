package secrets

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
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
	list  []Secret
	newer atomic.Pointer[Redactor] // with more secrets, since Include

	values     []string // longest first
	masks      *strings.Replacer
	references *strings.Replacer

	refers  map[string]string // references to the secrets, by their spellings
	present map[string]string // spellings of the secrets, by their references
}

// NewRedactor returns a Redactor of those of the secrets that are long enough, and of
// their usual spellings: inside a JSON string, in a URL and in base64.
func NewRedactor(list []Secret) *Redactor {
	r := &Redactor{list: list, refers: map[string]string{}, present: map[string]string{}}
	for _, s := range list {
		if s.Value = strings.TrimSpace(s.Value); len(s.Value) >= MinSecret {
			r.addReferences(s, spellings(s.Value))
		}
	}
	for text := range r.refers {
		r.values = append(r.values, text)
	}
	// A replacer prefers the earlier of two that match at one place: the longest
	// must come first, or the rest of a longer secret would stay.
	slices.SortFunc(r.values, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	masks, references := make([]string, 0, 2*len(r.values)), make([]string, 0, 2*len(r.values)+2)
	for _, v := range r.values {
		masks, references = append(masks, v, Hidden), append(references, v, r.refers[v])
	}
	r.masks, r.references = strings.NewReplacer(masks...), strings.NewReplacer(append(references, mark, mark+end)...)
	return r
}

// Include has r mask the secrets of another too, from now on and in every place that has
// r. A nil r stays one that masks nothing.
func (r *Redactor) Include(other *Redactor) {
	if r == nil || other == nil {
		return
	}
	for {
		now := r.newer.Load()
		known := r.list
		if now != nil {
			known = now.list
		}
		next := NewRedactor(slices.Concat(known, other.latest().list))
		if r.newer.CompareAndSwap(now, next) {
			return
		}
	}
}

// latest is r with what was included since.
func (r *Redactor) latest() *Redactor {
	if r != nil {
		if newer := r.newer.Load(); newer != nil {
			return newer
		}
	}
	return r
}

// spellings are the texts in which a secret is found. The value itself is the first.
func spellings(v string) []string {
	all := []string{v, url.QueryEscape(v), url.PathEscape(v)}
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
	return all
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
	r = r.latest()
	if r == nil || len(r.values) == 0 {
		return s
	}
	return r.hide(s, r.masks)
}

// hide replaces every secret, and masks the beginning of one before a cutMark.
func (r *Redactor) hide(s string, by *strings.Replacer) string {
	s = by.Replace(s)
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
	r = r.latest()
	if r == nil || len(r.values) == 0 || !r.mayHold(raw) {
		return raw
	}
	return rewrite(raw, func(text string, _ bool) string { return r.Redact(text) })
}

func isEOF(err error) bool { return errors.Is(err, io.EOF) }

// Mask hides secrets behind as many characters as they have, so that places in
// s stay where they are.
func (r *Redactor) Mask(s string) string {
	r = r.latest()
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
