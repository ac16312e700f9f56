package catalog

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"reflect"

	"github.com/patchbay-mcp/patchbay/specs"
)

// digest hashes everything that specs say. It walks them by reflection, so that
// a field added to [specs.Spec] counts too, and reads schemas as bytes: they are
// most of a spec, and may be no JSON at all.
type digest struct {
	hash hash.Hash
	buf  []byte
}

func newDigest() *digest { return &digest{hash: sha256.New()} }

func (d *digest) add(sp *specs.Spec) {
	d.buf = appendValue(d.buf[:0], reflect.ValueOf(sp).Elem())
	d.hash.Write(d.buf)
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
	// Defaults and enums are JSON data; what is none is told apart by its text.
	text, err := json.Marshal(v.Interface())
	if err != nil {
		text = fmt.Append(nil, v.Interface())
	}
	return appendText(b, string(text))
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
