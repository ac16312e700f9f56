package jsonata

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// number returns v as a float64, if it is a number at all.
func (e *Evaluator) number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case json.Number:
		return e.parse(v), true
	}
	return 0, false
}

var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// parse returns the value of a JSON number. Up to 15 digits are an exact integer over an
// exact power of ten, whose quotient is rounded once.
func (e *Evaluator) parse(s json.Number) float64 {
	i, n, digits, point := 0, int64(0), 0, -1
	negative := s != "" && s[0] == '-'
	if negative {
		i++
	}
	for ; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			n = n*10 + int64(c-'0')
			if digits++; digits > 15 {
				return e.parseLong(s)
			}
		case c == '.' && point < 0:
			point = digits
		default:
			return e.parseLong(s)
		}
	}
	f := float64(n)
	if point >= 0 {
		f /= powersOfTen[digits-point]
	}
	if negative {
		return -f
	}
	return f
}

func (e *Evaluator) parseLong(s json.Number) float64 {
	if len(s) > 20 { // where it may take some microseconds
		e.steps(64 + len(s)>>4)
	}
	f, _ := strconv.ParseFloat(string(s), 64) // out of range is an infinity, as in JavaScript
	return f
}

// smallNumbers are the small whole numbers as values, so that none is allocated again.
var smallNumbers = func() (t [1024]any) {
	for i := range t {
		t[i] = float64(i)
	}
	return t
}()

// box returns a number as a value.
func (e *Evaluator) box(f float64) any {
	if i := int(f); uint(i) < uint(len(smallNumbers)) && float64(i) == f && (i != 0 || !math.Signbit(f)) {
		return smallNumbers[i]
	}
	e.alloc(8)
	return f
}

func boxInt(i int) any {
	if uint(i) < uint(len(smallNumbers)) {
		return smallNumbers[i]
	}
	return float64(i)
}

// integer returns v as an int if it is a whole number within 2^53.
func (e *Evaluator) integer(v any) (int, bool) {
	f, ok := e.number(v)
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int(f), true
}

// appendFloat appends a finite number as ECMAScript's Number::toString does: the
// shortest digits that read back as the same number.
func appendFloat(b []byte, f float64) []byte {
	if f == 0 {
		return append(b, '0') // JavaScript writes negative zero so, too
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		if i := int64(f); float64(i) == f && abs < 1e15 {
			return strconv.AppendInt(b, i, 10)
		}
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	start := len(b)
	b = strconv.AppendFloat(b, f, 'e', -1, 64)
	// Go pads the exponent to two digits, JavaScript does not.
	if i := bytes.IndexByte(b[start:], 'e') + start; len(b) == i+4 && b[i+2] == '0' {
		b = append(b[:i+2], b[i+3])
	}
	return b
}

// appendText appends a finite number as $string and & write it: what is not whole has
// 15 significant digits.
func appendText(b []byte, f float64) []byte {
	if f == math.Trunc(f) {
		return appendFloat(b, f)
	}
	var text [32]byte
	rounded, err := strconv.ParseFloat(string(strconv.AppendFloat(text[:0], f, 'g', 15, 64)), 64)
	if err != nil {
		rounded = f
	}
	return appendFloat(b, rounded)
}

// NumberText is a finite number as JavaScript writes it.
func NumberText(f float64) string { return string(appendFloat(nil, f)) }
