package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// maxDigits is the number of digits above which a number is refused. A validator
// writes 1e999999 out to compare it.
const maxDigits = 400

// A walk visits every part of a value once.
type walk struct {
	volume int64 // parts, and bytes of text
	depth  int   // of the deepest part
}

// value returns a refusal for the first number that is too long.
func (w *walk) value(v any, path []string) *refusal {
	w.volume++
	w.depth = max(w.depth, len(path))
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			w.volume += int64(len(key))
			if r := w.value(member, append(path, key)); r != nil {
				return r
			}
		}
	case []any:
		for i, item := range v {
			if n, ok := item.(json.Number); ok && !tooLong(string(n)) {
				w.volume++
			} else if r := w.value(item, append(path, strconv.Itoa(i))); r != nil {
				return r
			}
		}
	case string:
		w.volume += int64(len(v))
	case json.Number:
		if tooLong(string(v)) {
			return refuse(slices.Clone(path), "the number %s has more than %d digits when written out; send a shorter number, or send it as text", diag.Excerpt(string(v)), maxDigits)
		}
	}
	return nil
}

// tooLong reports whether a JSON number has more than maxDigits digits without an
// exponent.
func tooLong(n string) bool {
	if len(n) > maxDigits {
		return true
	}
	e := strings.IndexAny(n, "eE")
	if e < 0 {
		return false
	}
	x, err := strconv.Atoi(n[e+1:])
	return err != nil || max(x, -x)+e > maxDigits
}
