package search

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/patchbay-mcp/patchbay/specs"
)

// fingerprint is a hash of an origin and of everything that its specs say, the same
// in every process. It walks specs by reflection, so that a field added to
// [specs.Spec] counts too, and reads schemas as bytes: they are most of a spec, and
// may not be JSON at all.
func fingerprint(origin string, list []*specs.Spec) [sha256.Size]byte {
	h := sha256.New()
	buf := appendText(nil, origin)
	for _, sp := range list {
		buf = appendValue(buf, reflect.ValueOf(sp).Elem())
		h.Write(buf)
		buf = buf[:0]
	}
	h.Write(buf)
	return [sha256.Size]byte(h.Sum(nil))
}

func appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.String:
		return appendText(b, v.String())
	case reflect.Func:
		return b // what it derives follows from the rest
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case reflect.Int, reflect.Int64:
		return binary.BigEndian.AppendUint64(b, uint64(v.Int()))
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return appendText(b, string(v.Bytes()))
		}
		b = binary.AppendUvarint(b, uint64(v.Len()))
		for i := range v.Len() {
			b = appendValue(b, v.Index(i))
		}
		return b
	case reflect.Struct:
		for _, field := range v.Fields() {
			b = appendValue(b, field)
		}
		return b
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, 0)
		}
		return appendValue(append(b, 1), v.Elem())
	}
	// Defaults and enums are JSON data; other values are hashed as their text.
	text, err := json.Marshal(v.Interface())
	if err != nil {
		text = fmt.Append(nil, v.Interface())
	}
	return appendText(b, string(text))
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
