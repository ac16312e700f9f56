package jsonata

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// exactDigits is how many digits each number keeps as a float64.
const exactDigits = 15

// maxIntegerDigits is how many digits and a sign a whole number within the range of float64 has.
const maxIntegerDigits = 310

// stepsOfDigits counts the work of reading a number with many digits.
func (e *Evaluator) stepsOfDigits(n json.Number) {
	if len(n) > 128 {
		e.steps(len(n) >> 4)
	}
}

// literal returns the value of a number that is written in an expression: a json.Number if
// it has digits that a float64 may not have.
func literal(n *Node) any {
	if len(n.Text) <= exactDigits {
		return n.Number
	}
	if strings.ContainsAny(n.Text, ".eE") || math.Abs(n.Number) < 1<<53 {
		shortest := strconv.AppendFloat(nil, math.Abs(n.Number), 'e', -1, 64)
		if bytes.Equal(appendDecimal(nil, shortest), appendDecimal(nil, []byte(n.Text))) {
			return n.Number
		}
	}
	if math.Signbit(n.Number) {
		return json.Number("-" + n.Text)
	}
	return json.Number(n.Text)
}

// sameNumber compares two numbers, to the last digit where both have more than a float64.
func (e *Evaluator) sameNumber(a, b any) bool {
	f, _ := e.number(a)
	g, _ := e.number(b)
	return f == g && e.orderOfDigits(a, b) == 0
}

// orderOfDigits is [CompareDigits], and counts its work.
func (e *Evaluator) orderOfDigits(a, b any) int {
	x, ok := a.(json.Number)
	y, ok2 := b.(json.Number)
	if !ok || !ok2 || x == y {
		return 0
	}
	e.stepsOfDigits(x)
	e.stepsOfDigits(y)
	return CompareDigits(x, y)
}

// CompareDigits orders two numbers that are the same float64 by the digits that they have in
// addition: it returns -1, 0 or 1, and 0 unless both are a [json.Number] with such digits.
func CompareDigits(a, b Value) int {
	x, ok := a.(json.Number)
	y, ok2 := b.(json.Number)
	if !ok || !ok2 || len(x) <= exactDigits || len(y) <= exactDigits || x == y {
		return 0
	}
	return compareDecimals(appendDecimal(nil, []byte(x)), appendDecimal(nil, []byte(y)))
}

// compareDecimals orders two numbers as appendDecimal writes them.
func compareDecimals(x, y []byte) int {
	x, negative := bytes.CutPrefix(x, []byte{'-'})
	y, negative2 := bytes.CutPrefix(y, []byte{'-'})
	switch {
	case negative && negative2:
		x, y = y, x
	case negative:
		return -1
	case negative2:
		return 1
	}
	digits, exponent, _ := bytes.Cut(x, []byte{'e'})
	digits2, exponent2, _ := bytes.Cut(y, []byte{'e'})
	return cmp.Or(cmp.Compare(magnitude(digits, exponent), magnitude(digits2, exponent2)), bytes.Compare(digits, digits2))
}

// magnitude returns the power of ten that is next above digits*10^exponent.
func magnitude(digits, exponent []byte) int64 {
	if string(digits) == "0" {
		return math.MinInt64
	}
	e, _ := strconv.ParseInt(string(exponent), 10, 64) // out of range is the nearest one
	return max(min(e, 1<<62), -1<<62) + int64(len(digits))
}

// appendDecimal writes a JSON number so that equal numbers are written the same, to
// the last digit: its significant digits as a whole number, and the exponent. What is
// not a number, such as NaN, is written as it is.
func appendDecimal(buf, text []byte) []byte {
	mantissa, exponent := text, int64(0)
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.ParseInt(string(text[i+1:]), 10, 32); err != nil {
			return append(buf, text...)
		}
		mantissa = text[:i]
	}
	mantissa, negative := bytes.CutPrefix(mantissa, []byte{'-'})
	whole, fraction, _ := bytes.Cut(mantissa, []byte{'.'})
	if len(whole) == 0 || whole[0] < '0' || whole[0] > '9' {
		return append(buf, text...)
	}
	exponent -= int64(len(fraction))
	start := len(buf)
	if negative {
		buf = append(buf, '-')
	}
	first := len(buf)
	buf = append(append(buf, bytes.TrimLeft(whole, "0")...), fraction...)
	if first == len(buf)-len(fraction) { // 0.00x
		buf = append(buf[:first], bytes.TrimLeft(fraction, "0")...)
	}
	for len(buf) > first && buf[len(buf)-1] == '0' {
		buf, exponent = buf[:len(buf)-1], exponent+1
	}
	if len(buf) == first {
		return append(buf[:start], '0')
	}
	return strconv.AppendInt(append(buf, 'e'), exponent, 10)
}

// exactInteger returns a whole number that came as JSON with more digits than a float64 has.
func exactInteger(v any) (*big.Int, bool) {
	n, ok := v.(json.Number)
	if !ok || len(n) <= exactDigits || len(n) > maxIntegerDigits || strings.ContainsAny(string(n), ".eE") {
		return nil, false
	}
	return new(big.Int).SetString(string(n), 10)
}
