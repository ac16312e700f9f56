package secrets

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Hidden replaces a secret in data that leaves the program.
const Hidden = "***"

// maxLearned is how many secrets that came up while the program runs are remembered.
const maxLearned = 100

// A Redactor masks secrets in what leaves the program: replies, logs, and what is
// written to disk. It must not be used on what graphs compute with. A nil
// Redactor masks nothing.
//
// A secret that is wrapped over lines is masked too, and in a text that was cut short
// and ends in "…" the beginning of one, see [Redactor.withoutPart].
type Redactor struct {
	list    []Secret
	learned []Secret                 // since, the latest last
	newer   atomic.Pointer[Redactor] // with more secrets, since Include or Learn

	values     []string // longest first
	unescaped  []string // the secrets without backslashes and ends of lines
	masks      *strings.Replacer
	references *strings.Replacer

	refers  map[string]string // references to the secrets, by their spellings
	present map[string]string // spellings of the secrets, by their references
}

// NewRedactor returns a Redactor of those of the secrets that are long enough, and of
// their usual spellings: inside a JSON string, in a URL, in base64 and in hexadecimal.
func NewRedactor(list []Secret) *Redactor { return newRedactor(list, nil) }

func newRedactor(list, learned []Secret) *Redactor {
	r := &Redactor{list: list, learned: learned, refers: map[string]string{}, present: map[string]string{}}
	for _, s := range slices.Concat(list, learned) {
		if s.Value = strings.TrimSpace(s.Value); len(s.Value) >= MinSecret {
			r.addReferences(s, spellings(s.Value))
			if bare := bareText.Replace(s.Value); len(bare) >= MinSecret {
				r.unescaped = append(r.unescaped, bare)
			}
		}
	}
	for text := range r.refers {
		r.values = append(r.values, text)
	}
	// A replacer prefers the earlier of two that match at one place: the longest
	// must come first, or the rest of a longer secret would stay.
	for _, list := range [][]string{r.values, r.unescaped} {
		slices.SortFunc(list, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	}
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
	r.replace(func(now *Redactor) *Redactor {
		return newRedactor(with(now.list, other.latest().list), now.learned)
	})
}

// Learn has r mask secrets that came up while the program runs, such as tokens, from now
// on and in every place that has r. Of those that were learned the last 100 count.
func (r *Redactor) Learn(list ...Secret) {
	if r == nil {
		return
	}
	list = slices.DeleteFunc(slices.Clone(list), func(s Secret) bool { return len(strings.TrimSpace(s.Value)) < MinSecret })
	r.replace(func(now *Redactor) *Redactor {
		learned := with(now.learned, list)
		if len(learned) == len(now.learned) {
			return now
		}
		return newRedactor(now.list, learned[max(0, len(learned)-maxLearned):])
	})
}

// with is a list with those of more that it does not have.
func with(list, more []Secret) []Secret {
	list = slices.Clip(list)
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// replace makes another Redactor the latest of r.
func (r *Redactor) replace(change func(now *Redactor) *Redactor) {
	for {
		newer := r.newer.Load()
		now := cmp.Or(newer, r)
		next := change(now)
		if next == now || r.newer.CompareAndSwap(newer, next) {
			return
		}
	}
}

// Version returns what is the same as long as r masks the same secrets.
func (r *Redactor) Version() any { return r.latest() }

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
	var later []string
	for _, quote := range []func(any) ([]byte, error){json.Marshal, quoteJSON} {
		if q, err := quote(v); err == nil {
			all = append(all, inner(q))
		}
	}
	if strings.Contains(v, "\n") { // a key file's lines are shown one by one
		for line := range strings.Lines(v) {
			if line = strings.TrimSpace(line); len(line) >= 2*MinSecret {
				all = append(all, line)
			}
		}
	}
	for _, quote := range []func(any) ([]byte, error){json.Marshal, quoteJSON} { // JSON in JSON
		if q, err := quote(all[0]); err == nil {
			if q, err = quote(inner(q)); err == nil {
				later = append(later, inner(q))
			}
		}
	}
	// References in stored runs have the number of a spelling: new ones come last.
	h := hex.EncodeToString([]byte(v))
	return append(append(all, later...), h, strings.ToUpper(h), escapeComponent(v), lowerEscapes(url.QueryEscape(v)), lowerEscapes(url.PathEscape(v)), lowerEscapes(escapeComponent(v)), html.EscapeString(v))
}

// inner is a JSON string without its quotes.
func inner(quoted []byte) string { return string(quoted[1 : len(quoted)-1]) }

// escapeComponent is encodeURIComponent of JavaScript.
func escapeComponent(v string) string {
	return strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*", "%7E", "~").Replace(url.QueryEscape(v))
}

var percentEscape = regexp.MustCompile(`%[0-9A-F]{2}`)

// lowerEscapes writes the digits of percent-encoding in lower case.
func lowerEscapes(v string) string { return percentEscape.ReplaceAllStringFunc(v, strings.ToLower) }

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
	s = r.unwrapped(r.masks.Replace(s), func(string, int, int) string { return Hidden })
	return r.atCuts(r.withoutEscaped(s), r.withoutPart)
}

// mayHold reports whether JSON text can hold a secret: literally, behind an
// escape, or cut short.
func (r *Redactor) mayHold(raw []byte) bool {
	if bytes.IndexByte(raw, '\\') >= 0 || bytes.Contains(raw, []byte(cutMark)) {
		return true
	}
	text := string(raw)
	has := func(v string) bool { return strings.Contains(text, v) }
	if slices.ContainsFunc(r.values, has) {
		return true
	}
	if strings.Contains(text, "\n") { // a secret may be wrapped
		text = joinLines(text, nil)
		return slices.ContainsFunc(r.values, has)
	}
	return false
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
