package jsonata

import (
	"encoding/json"
	"iter"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// A Value is what expressions compute with. A nil Value is undefined, JSON null is
// [Null], an object is an [*Object], an array is []any, a function is a [*Function];
// otherwise it is a string, a bool, a float64, or a json.Number that keeps the digits
// it was written with. Values are shared, not copied: none is changed after handing
// it on.
type Value = any

type null struct{}

// Null returns JSON null as a value, which is not nil: nil is undefined.
func Null() Value { return null{} }

// MarshalJSON implements [json.Marshaler].
func (null) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// IsNull reports whether v is JSON null.
func IsNull(v Value) bool {
	_, ok := v.(null)
	return ok
}

// An Object is a JSON object that keeps the order of its keys. It is not safe for
// concurrent use while it is being filled.
type Object struct {
	keys  []string
	vals  []any
	index map[string]int32 // of the keys, once there are more than maxScanned
	mark  *objectMark      // of what made it, or nil
}

// An objectMark is the mark of the copies of one evaluation, which may change them, or
// [builtMark]. No two have the same address.
type objectMark struct{ _ byte }

// builtMark is the mark of objects that an expression makes, which have no text in
// JavaScript.
var builtMark objectMark

// MarshalJSON implements [json.Marshaler], as [Encode] does.
func (o *Object) MarshalJSON() ([]byte, error) { return Encode(o) }

// maxScanned is how many keys are found faster by looking at each.
const maxScanned = 12

// NewObject returns an empty object.
func NewObject() *Object { return &Object{} }

// built is an object that the expression makes.
func (o *Object) built() *Object {
	o.mark = &builtMark
	return o
}

// objectFrom returns an object of keys, which are distinct and may be shared, and vals,
// which become its own.
func objectFrom(keys []string, vals []any, mark *objectMark) *Object {
	o := &Object{keys: slices.Clip(keys), vals: vals, mark: mark}
	if len(keys) > maxScanned {
		o.reindex()
	}
	return o
}

// newMarked returns an empty object with room for n keys.
func newMarked(n int, mark *objectMark) *Object {
	return &Object{keys: make([]string, 0, n), vals: make([]any, 0, n), mark: mark}
}

func (o *Object) reindex() {
	o.index = make(map[string]int32, len(o.keys)*2)
	for i, k := range o.keys {
		o.index[k] = int32(i)
	}
}

func (o *Object) find(key string) int {
	if o.index != nil {
		if i, ok := o.index[key]; ok {
			return int(i)
		}
		return -1
	}
	for i, k := range o.keys {
		if k == key {
			return i
		}
	}
	return -1
}

// Get returns the value of a key and whether there is one.
func (o *Object) Get(key string) (Value, bool) {
	if i := o.find(key); i >= 0 {
		return o.vals[i], true
	}
	return nil, false
}

// Set gives a key its value: a new key goes last, a known one keeps its place.
func (o *Object) Set(key string, value Value) {
	if i := o.find(key); i >= 0 {
		o.vals[i] = value
		return
	}
	o.keys, o.vals = append(o.keys, key), append(o.vals, value)
	switch {
	case o.index != nil:
		o.index[key] = int32(len(o.keys) - 1)
	case len(o.keys) > maxScanned:
		o.reindex()
	}
}

// Delete removes a key, if it is there, in time linear in the number of keys.
func (o *Object) Delete(key string) {
	i := o.find(key)
	if i < 0 {
		return
	}
	o.keys = slices.Delete(slices.Clone(o.keys), i, i+1)
	o.vals = slices.Delete(slices.Clone(o.vals), i, i+1)
	if o.index != nil {
		o.reindex()
	}
}

// Keys returns the keys in order. They are the object's own: do not change them.
func (o *Object) Keys() []string { return o.keys }

// All returns the keys with their values, in order.
func (o *Object) All() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for i, key := range o.keys {
			if !yield(key, o.vals[i]) {
				return
			}
		}
	}
}

// Len returns how many keys there are.
func (o *Object) Len() int { return len(o.keys) }

// Type names the type of a value as an author thinks of it: undefined, null, boolean,
// number, string, array, object or function.
func Type(v Value) string {
	return typeNames[bits.TrailingZeros16(uint16(valueKind(v)))]
}

// typeNames are the names of types in the order of the bits of [types.Kind].
var typeNames = [...]string{"undefined", "null", "boolean", "number", "number", "string", "array", "object", "function"}

// Truthy reports whether JavaScript takes v for true: everything but undefined, null,
// false, zero, NaN and the empty string.
func Truthy(v Value) bool {
	switch v := v.(type) {
	case nil, null:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case float64:
		return v != 0 && !math.IsNaN(v)
	case json.Number:
		return !isZero(v)
	}
	return true
}

// isZero reports whether a JSON number is zero.
func isZero(n json.Number) bool {
	for _, c := range []byte(n) {
		switch {
		case c >= '1' && c <= '9':
			return false
		case c == 'e' || c == 'E':
			return true
		}
	}
	return true
}

// describe says what a value is, in a message.
func describe(v any) string {
	switch w := v.(type) {
	case nil:
		return "undefined"
	case bool:
		return strconv.FormatBool(w)
	case float64:
		if w-w != 0 {
			return "a number that is not finite"
		}
		return string(appendFloat(nil, w))
	case json.Number:
		return string(w)
	}
	return typeWords(valueKind(v), false)
}

// truthAt reports what JSONata takes for true.
func (e *Evaluator) truthAt(v any, depth int) bool {
	switch w := v.(type) {
	case nil, null:
		return false
	case bool:
		return w
	case string:
		return w != ""
	case float64:
		if w-w != 0 {
			if w != w {
				return false
			}
			e.fail(nil, "D1001", "a number is out of range")
		}
		return w != 0
	case json.Number:
		e.stepsOfDigits(w)
		return !isZero(w)
	case *Object:
		return len(w.keys) > 0
	case []any:
		e.deep(depth)
		for _, item := range w {
			e.step()
			if e.truthAt(item, depth+1) {
				return true
			}
		}
	}
	return false
}
