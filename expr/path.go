package expr

import (
	"encoding/json"
	"strings"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// A path is an expression that only names fields from the context on: $.a.b or
// a.b. Such expressions are most of what graphs contain.
type path []string

// plainPath returns src as a path, if it is one.
func plainPath(src string) (path, bool) {
	rest := strings.TrimPrefix(strings.TrimSpace(src), "$.")
	names := strings.Split(rest, ".")
	for _, name := range names {
		if !isName(name) {
			return nil, false
		}
	}
	return names, len(names) <= jsonata.MaxOpenBrackets
}

// isName reports whether s is a field name that needs no backticks and is not
// a word of the language.
func isName(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', i > 0 && c >= '0' && c <= '9':
		default:
			return false
		}
	}
	switch s {
	case "", "and", "or", "in", "true", "false", "null", "function":
		return false
	}
	return true
}

// in follows p from v. It gives up (ok is false) at an array, which JSONata
// maps over.
func (p path) in(v any) (found any, ok bool) {
	for _, name := range p {
		switch w := v.(type) {
		case Object:
			if v, ok = w.Get(name); !ok {
				return nil, true
			}
			if v == nil {
				v = null
			}
		case nil, string, bool, float64, json.Number:
			return nil, true
		default:
			if !IsNull(v) {
				return nil, false
			}
			return nil, true
		}
	}
	return v, true
}
