package graph

import (
	"strings"

	"github.com/patchbay-mcp/patchbay/diag"
)

// At returns the value at a JSON Pointer relative to v, the zero Value if there
// is none.
func (v Value) At(pointer string) Value {
	for pointer != "" && v.n != nil {
		if pointer[0] != '/' {
			return Value{}
		}
		var part string
		part, pointer = cutPart(pointer[1:])
		if v.Is(Array) {
			i, ok := listIndex(part)
			if !ok || i >= len(v.n.kids) {
				return Value{}
			}
			v = Value{v.n.kids[i]}
			continue
		}
		v = v.Get(diag.UnescapePointer(part))
	}
	return v
}

func cutPart(s string) (part, rest string) {
	if i := strings.IndexByte(s, '/'); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// listIndex reads a list index as RFC 6901 writes it: no sign, no leading zero.
func listIndex(part string) (int, bool) {
	if part == "" || len(part) > 1 && part[0] == '0' || len(part) > 9 {
		return 0, false
	}
	i := 0
	for _, c := range []byte(part) {
		if c < '0' || c > '9' {
			return 0, false
		}
		i = i*10 + int(c-'0')
	}
	return i, true
}
