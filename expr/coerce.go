package expr

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// JavaScript's coercions, as JSON Logic uses them.

// logicTruthy is JSON Logic's truth: JavaScript's, but an empty array is false.
func logicTruthy(v any) bool {
	if items, ok := v.([]any); ok {
		return len(items) > 0
	}
	return Truthy(v)
}

// strictEqual is ===: arrays and objects equal only themselves.
func strictEqual(a, b any) bool {
	if isNil(a) || isNil(b) {
		return isNil(a) && isNil(b)
	}
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		return ok && a == b
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case []any:
		b, ok := b.([]any)
		return ok && len(a) > 0 && len(a) == len(b) && &a[0] == &b[0]
	case Object:
		return a == b
	}
	x, ok := number(a)
	y, ok2 := number(b)
	return ok && ok2 && x == y && jsonata.CompareDigits(a, b) == 0
}

// isNil takes undefined and null for the same, as rules cannot tell them apart.
func isNil(v any) bool { return v == nil || IsNull(v) }

// looseEqual is ==.
func looseEqual(a, b any) bool {
	if isNil(a) || isNil(b) || isComposite(a) == isComposite(b) && jsType(a) == jsType(b) {
		return strictEqual(a, b)
	}
	if isComposite(a) && isComposite(b) {
		return false
	}
	a, b = toPrimitive(a), toPrimitive(b)
	if s, ok := a.(string); ok {
		if t, ok := b.(string); ok {
			return s == t
		}
	}
	return toNumber(a) == toNumber(b)
}

func isComposite(v any) bool {
	switch v.(type) {
	case []any, Object:
		return true
	}
	return false
}

// toPrimitive is JavaScript's ToPrimitive: the text of a list or map, any other value
// as it is.
func toPrimitive(v any) any {
	if isComposite(v) {
		return toText(v)
	}
	return v
}

func jsType(v any) string {
	if isComposite(v) {
		return "object"
	}
	return Type(v)
}

// less is <.
func less(a, b any) bool { return compareJS(a, b, false) }

// lessOrEqual is <=.
func lessOrEqual(a, b any) bool { return compareJS(a, b, true) }

func compareJS(a, b any, orEqual bool) bool {
	a, b = toPrimitive(a), toPrimitive(b)
	if s, ok := a.(string); ok {
		if t, ok := b.(string); ok {
			return s < t || orEqual && s == t
		}
	}
	x, y := toNumber(a), toNumber(b)
	if x == y {
		x, y = float64(jsonata.CompareDigits(a, b)), 0
	}
	return x < y || orEqual && x == y
}

// toNumber is Number(v).
func toNumber(v any) float64 {
	switch v := v.(type) {
	case nil:
		return math.NaN()
	case bool:
		if v {
			return 1
		}
		return 0
	case float64:
		return v
	case json.Number:
		f, _ := v.Float64() // out of range is an infinity, as in JavaScript
		return f
	case string:
		return textNumber(v)
	}
	if IsNull(v) {
		return 0
	}
	return textNumber(toText(v))
}

// textNumber is Number(s) of a string.
func textNumber(s string) float64 {
	s = jsonata.TrimSpace(s)
	if s == "" {
		return 0
	}
	if len(s) > 2 && s[0] == '0' {
		base := map[byte]int{'x': 16, 'X': 16, 'o': 8, 'O': 8, 'b': 2, 'B': 2}[s[1]]
		if base != 0 {
			n, ok := new(big.Int).SetString(s[2:], base)
			if !ok || strings.ContainsAny(s[2:], "+-_") {
				return math.NaN()
			}
			f, _ := new(big.Float).SetInt(n).Float64()
			return f
		}
	}
	if n := floatPrefix(s); n != len(s) {
		return math.NaN()
	}
	return parseFloat(s)
}

// parseFloat is parseFloat(v): the number that the text of v begins with.
func parseFloat(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case json.Number:
		return toNumber(v)
	}
	s := jsonata.TrimSpace(toText(v))
	n := floatPrefix(s)
	if n == 0 {
		return math.NaN()
	}
	f, err := strconv.ParseFloat(s[:n], 64)
	if err != nil && !math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}

// floatPrefix returns how many bytes of s are a decimal number.
func floatPrefix(s string) int {
	i := 0
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	if strings.HasPrefix(s[i:], "Infinity") {
		return i + len("Infinity")
	}
	digits := func() bool {
		start := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i > start
	}
	any := digits()
	if i < len(s) && s[i] == '.' {
		i++
		if !digits() && !any {
			return 0
		}
	} else if !any {
		return 0
	}
	if end := i; i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if !digits() {
			return end
		}
	}
	return i
}

// toText is String(v); undefined and null are texts of their own. It panics
// with an *Error, which [Rule.Eval] returns, for text of absurd size: comparing
// is no place for an error of its own.
func toText(v any) string {
	switch v := v.(type) {
	case nil:
		return "undefined"
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		switch {
		case math.IsNaN(v):
			return "NaN"
		case math.IsInf(v, 1):
			return "Infinity"
		case math.IsInf(v, -1):
			return "-Infinity"
		}
		return jsonata.NumberText(v)
	case json.Number:
		return jsonata.DigitsText(v)
	case []any:
		var b strings.Builder
		joinText(&b, v, 0)
		return b.String()
	case Object:
		return "[object Object]"
	}
	return "null"
}

func joinText(b *strings.Builder, items []any, depth int) {
	if depth > maxDepth {
		panic(&jsonata.Error{Code: "too-deep", Message: "the value is nested deeper than 500"})
	}
	for i, item := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		if nested, ok := item.([]any); ok {
			joinText(b, nested, depth+1)
		} else if !isNil(item) {
			b.WriteString(toText(item))
		}
		if b.Len() > maxJoined {
			panic(&jsonata.Error{Code: "too-big", Message: "the text of an array is longer than 32 MiB"})
		}
	}
}

// maxDepth is how deep the arrays in a text may nest.
const maxDepth = 500

// maxJoined is how long the text of an array may get.
const maxJoined = 32 << 20
