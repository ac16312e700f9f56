package drafting

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-mcp/patchbay/expr"
)

// canonical is a text that equal values have in common, and no others: the order of keys
// and the notation of numbers do not matter.
func canonical(v expr.Value) string {
	if s, ok := v.(string); ok {
		return "s" + s
	}
	return string(appendCanonical(nil, v))
}

func appendCanonical(b []byte, v expr.Value) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "undefined"...)
	case string:
		return strconv.AppendQuote(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	case float64:
		return strconv.AppendFloat(b, v, 'g', -1, 64)
	case json.Number:
		if f, err := v.Float64(); err == nil && len(v) <= 15 {
			return strconv.AppendFloat(b, f, 'g', -1, 64)
		}
		return append(b, v...)
	case []any:
		b = append(b, '[')
		for _, item := range v {
			b = append(appendCanonical(b, item), ',')
		}
		return append(b, ']')
	case expr.Object:
		b = append(b, '{')
		for _, key := range slices.Sorted(slices.Values(v.Keys())) {
			member, _ := v.Get(key)
			b = append(appendCanonical(append(strconv.AppendQuote(b, key), ':'), member), ',')
		}
		return append(b, '}')
	}
	return append(b, "null"...)
}

// strength says how much it tells that two values are equal.
type strength int

const (
	meaningless strength = iota // true, null, 0, nothing
	weak                        // small numbers and short texts: it tells something if the names fit, too
	strong
)

// The values from which equality tells something by itself.
const (
	strongNumber = 1000
	strongText   = 3 // characters
)

func valueStrength(v expr.Value) strength {
	switch v := v.(type) {
	case string:
		switch n := len([]rune(strings.TrimSpace(v))); {
		case n == 0:
			return meaningless
		case n < strongText:
			return weak
		}
		return strong
	case float64:
		return strengthOfNumber(v)
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return strong
		}
		return strengthOfNumber(f)
	case []any:
		if len(v) > 0 {
			return strong
		}
	case expr.Object:
		if v.Len() > 0 {
			return strong
		}
	}
	return meaningless
}

func strengthOfNumber(f float64) strength {
	switch {
	case f == 0:
		return meaningless
	case f > -strongNumber && f < strongNumber:
		return weak
	}
	return strong
}
