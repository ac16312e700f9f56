package expr

import (
	"context"
	"encoding/json"

	"github.com/patchbay-mcp/patchbay/jsonata"
)

// A Value is what expressions compute with: see [jsonata.Value].
type Value = jsonata.Value

// An Object is a JSON object that keeps the order of its keys.
type Object = *jsonata.Object

// Limits bound what one expression may cost. A zero field is its default.
type Limits = jsonata.Limits

// A History is the completed node executions of a run, as the functions of
// expressions ask for them. Values are not copied.
type History = jsonata.History

// NewObject returns an empty object.
func NewObject() Object { return jsonata.NewObject() }

// Member returns a member of an object; nil where there is none, and of any other value.
func Member(of Value, name string) (v Value) {
	if o, ok := of.(Object); ok && o != nil {
		v, _ = o.Get(name)
	}
	return v
}

// TextAt returns a member of an object that is a text, else "".
func TextAt(of Value, name string) string {
	text, _ := Member(of, name).(string)
	return text
}

var null = jsonata.Null()

// Null returns JSON null as a value, which is not nil: nil is undefined.
func Null() Value { return null }

// IsNull reports whether v is JSON null.
func IsNull(v Value) bool { return jsonata.IsNull(v) }

// Type names the type of a value as an author thinks of it: undefined, null,
// boolean, number, string, array, object or function.
func Type(v Value) string { return jsonata.Type(v) }

// Truthy reports whether JavaScript takes v for true: everything but undefined,
// null, false, zero, NaN and the empty string.
func Truthy(v Value) bool { return jsonata.Truthy(v) }

// Decode reads one JSON text: see [jsonata.Decode].
func Decode(b []byte) (Value, error) { return jsonata.Decode(b) }

// DecodeContext is [Decode] that ends when ctx does, with its cause.
func DecodeContext(ctx context.Context, b []byte) (Value, error) {
	return jsonata.DecodeContext(ctx, b)
}

// Encode writes v as compact JSON: see [jsonata.Encode].
func Encode(v Value) ([]byte, error) { return jsonata.Encode(v) }

// EncodeWithin is [Encode] for a value that takes at most so many bytes: see
// [jsonata.EncodeWithin].
func EncodeWithin(v Value, most int) (b []byte, larger bool, err error) {
	return jsonata.EncodeWithin(v, most)
}

// Plain returns v as encoding/json has it: see [jsonata.Plain].
func Plain(v Value) (any, error) { return jsonata.Plain(v) }

// number returns v as a float64, if it is a number at all.
func number(v Value) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case json.Number:
		f, _ := v.Float64() // out of range is an infinity, as in JavaScript
		return f, true
	}
	return 0, false
}
