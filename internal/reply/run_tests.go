package reply

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// SameJSON compares values: the order of keys and the notation of numbers do not matter.
func SameJSON(a, b json.RawMessage) bool {
	x, errX := DecodeExactly(a)
	y, errY := DecodeExactly(b)
	return errX == nil && errY == nil && sameValue(x, y)
}

func DecodeExactly(b json.RawMessage) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

func sameValue(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key, v := range a {
			if other, ok := b[key]; !ok || !sameValue(v, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !sameValue(a[i], b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || (strings.ContainsAny(string(a+b), ".eE") && sameFloat(a, b)))
	}
	return a == b
}

func sameFloat(a, b json.Number) bool {
	x, errX := strconv.ParseFloat(string(a), 64)
	y, errY := strconv.ParseFloat(string(b), 64)
	return errX == nil && errY == nil && x == y
}
