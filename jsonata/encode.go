package jsonata

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Encode writes v as compact JSON: keys in their order, nothing escaped for
// HTML, numbers as JavaScript writes them and json.Number as it came. Undefined
// is null at the top and in arrays, and drops its key in objects. A function,
// NaN or an infinity, and nesting deeper than 500, are errors.
func Encode(v Value) ([]byte, error) {
	e := encoder{limit: math.MaxInt}
	if err := e.value(v, 0); err != nil {
		return nil, err
	}
	return e.buf, nil
}

// EncodeWithin is Encode for a value that takes at most so many bytes. Of a larger one it
// returns that it is, and about the first most bytes of its JSON, in time that does not
// grow with the value.
func EncodeWithin(v Value, most int) (b []byte, larger bool, err error) {
	if v == nil {
		return []byte("null"), false, nil
	}
	e := encoder{limit: most, cuts: true}
	if err := e.value(v, 0); err != nil && !e.cut {
		return nil, false, err
	}
	return e.buf, e.cut || len(e.buf) > most, nil
}

// Plain returns v with the types of encoding/json, its numbers of type json.Number. What is
// undefined and what is an error is as in [Encode].
func Plain(v Value) (any, error) { return plain(v, 0) }

func plain(v any, depth int) (any, error) {
	if depth > maxValueDepth {
		return nil, tooDeep()
	}
	switch v := v.(type) {
	case nil, null:
		return nil, nil
	case bool, string, json.Number:
		return v, nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, notFinite()
		}
		return json.Number(appendFloat(nil, v)), nil
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			var err error
			if items[i], err = plain(item, depth+1); err != nil {
				return nil, err
			}
		}
		return items, nil
	case *Object:
		members := make(map[string]any, len(v.keys))
		for i, key := range v.keys {
			if v.vals[i] == nil {
				continue
			}
			var err error
			if members[key], err = plain(v.vals[i], depth+1); err != nil {
				return nil, err
			}
		}
		return members, nil
	}
	return nil, notAValue()
}

// encoder writes JSON up to a size. Its errors are *Error.
type encoder struct {
	buf    []byte
	limit  int        // bytes
	e      *Evaluator // whose steps are counted, or nil
	loose  bool       // functions become "" as in $string
	cuts   bool       // of what is larger than limit, the beginning is written
	cut    bool       // it was larger
	indent string     // for pretty text, or ""
}

func (e *encoder) value(v any, depth int) error {
	if depth > maxValueDepth {
		return tooDeep()
	}
	if len(e.buf) > e.limit {
		return e.tooBig()
	}
	switch v := v.(type) {
	case nil, null:
		e.buf = append(e.buf, "null"...)
	case bool:
		e.buf = strconv.AppendBool(e.buf, v)
	case string:
		if left := e.limit - len(e.buf); len(v) > left {
			if e.cuts {
				e.buf = appendString(e.buf, v[:left])
			}
			return e.tooBig()
		}
		if e.buf = appendString(e.buf, v); e.e != nil {
			e.e.steps(len(v) >> 5)
		}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return notFinite()
		}
		if e.loose {
			e.buf = appendText(e.buf, v)
		} else {
			e.buf = appendFloat(e.buf, v)
		}
	case json.Number:
		if !e.loose {
			e.buf = append(e.buf, v...)
			break
		}
		e.e.stepsOfDigits(v)
		e.buf = appendNumber(e.buf, v)
	case []any:
		return e.array(v, depth)
	case *Object:
		return e.object(v, depth)
	default: // a function
		if !e.loose {
			return notAValue()
		}
		e.buf = append(e.buf, `""`...)
	}
	return nil
}

// tooBig ends the writing of a value that is too large.
func (e *encoder) tooBig() error {
	if e.cut = e.cuts; e.cut {
		return errCut
	}
	return tooBig("the text of the value", e.limit)
}

// errCut stops an encoder at its limit, where only the beginning of a value is wanted.
var errCut = errors.New("the value is longer")

func (e *encoder) array(items []any, depth int) error {
	e.buf = append(e.buf, '[')
	for i, item := range items {
		e.count()
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		e.line(depth + 1)
		if err := e.value(item, depth+1); err != nil {
			return err
		}
	}
	if len(items) > 0 {
		e.line(depth)
	}
	e.buf = append(e.buf, ']')
	return nil
}

func (e *encoder) object(o *Object, depth int) error {
	e.buf = append(e.buf, '{')
	first := true
	for i, k := range o.keys {
		e.count()
		v := o.vals[i]
		if v == nil {
			continue
		}
		if !first {
			e.buf = append(e.buf, ',')
		}
		first = false
		e.line(depth + 1)
		e.buf = append(appendString(e.buf, k), ':')
		if e.indent != "" {
			e.buf = append(e.buf, ' ')
		}
		if err := e.value(v, depth+1); err != nil {
			return err
		}
	}
	if !first {
		e.line(depth)
	}
	e.buf = append(e.buf, '}')
	return nil
}

func (e *encoder) line(depth int) {
	if e.indent == "" {
		return
	}
	e.buf = append(e.buf, '\n')
	for range depth {
		e.buf = append(e.buf, e.indent...)
	}
}

// count counts a step for an item or a member.
func (e *encoder) count() {
	if e.e != nil {
		e.e.step()
	}
}

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string. Bytes that are not UTF-8 become the replacement
// character.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	return append(appendEscaped(b, s), '"')
}

// appendEscaped appends what a JSON string has for s.
func appendEscaped(b []byte, s string) []byte {
	if len(s) > 1<<12 { // rather than to grow in many steps
		b = slices.Grow(b, len(s)+len(s)/16)
	}
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				b = append(append(b, s[start:i]...), "\ufffd"...)
				start = i + 1
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	return append(b, s[start:]...)
}
