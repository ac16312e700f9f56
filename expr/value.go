package expr

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/recolabs/gnata"
)

// A Value is what expressions compute with. A nil Value is undefined, JSON null
// is [Null], an object is an [Object], an array is []any; otherwise it is a
// string, a bool, a float64, or a json.Number that keeps the digits it was
// written with. Values are shared, not copied: nobody changes one after
// handing it on.
type Value = any

// An Object is a JSON object that keeps the order of its keys. It is not safe
// for concurrent use while it is being filled.
type Object interface {
	Get(key string) (any, bool)
	Set(key string, value any) // a new key goes last, a known one keeps its place
	Keys() []string            // in order; not to be changed
	Len() int
}

// NewObject returns an empty object.
func NewObject() Object { return natives().object() }

var null = func() any {
	v, err := gnata.DecodeJSON([]byte("null"))
	if err != nil {
		panic(err)
	}
	return v
}()

// Null returns JSON null as a value, which is not nil: nil is undefined.
func Null() Value { return null }

// IsNull reports whether v is JSON null.
func IsNull(v Value) bool { return v == null }

// Type names the type of a value as an author thinks of it: undefined, null,
// boolean, number, string, array, object or function.
func Type(v Value) string {
	switch v := v.(type) {
	case nil:
		return "undefined"
	case bool:
		return "boolean"
	case float64, json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	case Object:
		return "object"
	case map[string]any:
		if isRegex(v) {
			return "function"
		}
		return "object"
	}
	if IsNull(v) {
		return "null"
	}
	if items, ok := natives().items(v); ok {
		return Type(collapse(items))
	}
	return "function"
}

// Truthy reports whether JavaScript takes v for true: everything but undefined,
// null, false, zero, NaN and the empty string.
func Truthy(v Value) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case float64:
		return v != 0 && !math.IsNaN(v)
	case json.Number:
		return strings.ContainsAny(mantissa(string(v)), "123456789")
	}
	return !IsNull(v)
}

// mantissa returns a JSON number without its exponent.
func mantissa(number string) string {
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		return number[:i]
	}
	return number
}

// collapse is JSONata's rule for a sequence: none is undefined, one is
// itself, more are an array.
func collapse(items []any) Value {
	switch len(items) {
	case 0:
		return nil
	case 1:
		return items[0]
	}
	return slices.Clip(items)
}

// isRegex reports whether m is how gnata holds a regular expression, which is a
// function to the author.
func isRegex(m map[string]any) bool {
	_, pattern := m["pattern"]
	_, flags := m["flags"]
	return len(m) == 2 && pattern && flags
}

// number returns v as a float64, if it is a number at all.
func number(v Value) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	}
	return 0, false
}
