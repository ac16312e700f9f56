package jsonata

import (
	"encoding/json"
)

// equal compares two values that are not both undefined, with all that is in them.
func (e *Evaluator) equal(a, b any, depth int) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case string:
		y, ok := b.(string)
		if !ok || len(x) != len(y) {
			return false
		}
		e.steps(len(x) >> 10)
		return x == y
	case float64:
		switch y := b.(type) {
		case float64:
			return x == y
		case json.Number:
			return x == e.parse(y)
		}
		return false
	case json.Number:
		switch b.(type) {
		case float64, json.Number:
			return e.sameNumber(a, b)
		}
		return false
	case bool:
		y, ok := b.(bool)
		return ok && x == y
	case null:
		return IsNull(b)
	case []any:
		y, ok := b.([]any)
		return ok && len(x) == len(y) && e.equalItems(x, y, depth)
	case *Object:
		y, ok := b.(*Object)
		return ok && (x == y || len(x.keys) == len(y.keys) && e.equalObjects(x, y, depth))
	}
	return a == b
}

func (e *Evaluator) equalItems(x, y []any, depth int) bool {
	e.deep(depth)
	for i := range x {
		e.step()
		if !e.equal(x[i], y[i], depth+1) {
			return false
		}
	}
	return true
}

func (e *Evaluator) equalObjects(x, y *Object, depth int) bool {
	e.deep(depth)
	for i, k := range x.keys {
		e.step()
		j := y.find(k)
		if j < 0 || !e.equal(x.vals[i], y.vals[j], depth+1) {
			return false
		}
	}
	return true
}

// identical is JavaScript's ===.
func (e *Evaluator) identical(a, b any) bool {
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		return ok && len(x) == len(y) && cap(x) > 0 && cap(y) > 0 && &x[:1][0] == &y[:1][0]
	case float64, json.Number:
		switch b.(type) {
		case float64, json.Number:
			return e.sameNumber(a, b)
		}
		return false
	case nil:
		return b == nil
	}
	if _, ok := b.([]any); ok {
		return false
	}
	return a == b
}

// compareTexts orders two strings, and counts the work of long ones.
func (e *Evaluator) compareTexts(s, t string) int {
	e.steps(min(len(s), len(t)) >> 6)
	return compareTexts(s, t)
}

// compareTexts orders strings as JavaScript does, by UTF-16 units: what is beyond
// U+FFFF is written with surrogates there, which come before U+E000.
func compareTexts(s, t string) int {
	n := min(len(s), len(t))
	for i := range n {
		if a, b := s[i], t[i]; a != b {
			if a >= 0xEE && b >= 0xEE && (a >= 0xF0) != (b >= 0xF0) {
				return int(b) - int(a)
			}
			return int(a) - int(b)
		}
	}
	return len(s) - len(t)
}
