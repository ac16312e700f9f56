package expr

import (
	"fmt"
	"math"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// functions returns the functions that this package adds to gnata's, or puts in
// their place, by name without the $. What is replaced could take unbounded
// time or memory in one call, which no deadline ends, or differs from
// jsonata-js.
func functions() map[string]function {
	all := map[string]function{
		"previousNode":   previousNode,
		"executionCount": executionCount,
		"nodeExecution":  nodeExecution,
		"nodeExecutions": nodeExecutions,

		"now":     now,
		"millis":  millis,
		"random":  random,
		"shuffle": shuffle,

		"string":             stringOf,
		"join":               join,
		"pad":                pad,
		"split":              split,
		"contains":           containsText,
		"match":              match,
		"replace":            replace,
		"eval":               evalText,
		"base64encode":       bounded("base64encode", 2),
		"encodeUrl":          bounded("encodeUrl", 3),
		"encodeUrlComponent": bounded("encodeUrlComponent", 3),
		"formatBase":         formatBase,
		"formatNumber":       pictured("formatNumber"),
		"formatInteger":      pictured("formatInteger"),
		"parseInteger":       pictured("parseInteger"),
		"fromMillis":         pictured("fromMillis"),
		"toMillis":           pictured("toMillis"),

		"append":   appendItems,
		"clone":    clone,
		"distinct": distinct,
		"flatten":  flatten,
		"zip":      zip,
		"filter":   filter,

		concatName:  concat,
		boundedName: boundedValue,
		partName:    part,
		boundedPart: boundedPartValue,
		keptName:    kept,
		fieldsName:  fields,
		spanName:    rangeItems,
		spansName:   wholeSpan,
	}
	seal()
	addCustoms(all)
	for name := range jsonata.Signatures {
		switch fn, ours := all[name]; {
		case ours:
			all[name] = withFocus(name, fn)
		case natives().plain(name):
			all[name] = withFocus(name, original(name))
		}
	}
	return all
}

// fail returns an error in JSONata's own terms, with one of its codes.
func fail(code, format string, args ...any) error {
	e := &jsonata.Error{Code: code, Message: fmt.Sprintf(format, args...)}
	if code != "T0410" { // what says which argument says enough
		e.Hint = hints[code]
	}
	return e
}

// whole returns v as an int if it is a whole number.
func whole(v any) (int, bool) {
	f, ok := number(v)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int(f), true
}

// describeValue says what a value is, in a message.
func describeValue(v any) string {
	switch t := Type(v); t {
	case "undefined", "null":
		return t
	case "array", "object":
		return "an " + t
	case "number", "boolean":
		if b, err := Encode(v); err == nil {
			return string(b)
		}
		return "a number that is not finite"
	default:
		return "a " + t
	}
}

// isFunction reports whether v is a function of an expression.
func isFunction(v any) bool {
	switch v := v.(type) {
	case nil, bool, string, float64, []any, Object:
		return false
	case map[string]any:
		return isRegex(v)
	}
	return natives().isFunc(v)
}
