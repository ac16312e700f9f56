package jsonata

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// wholeDigits is how many digits each whole number keeps as a float64.
const wholeDigits = 15

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
	whole, fraction, pointed := strings.Cut(n.Text, ".")
	switch {
	case len(n.Text) <= wholeDigits || strings.ContainsAny(n.Text, "eE"):
		return n.Number
	case !pointed && math.Abs(n.Number) < 1<<53:
		return n.Number
	case pointed && strconv.FormatFloat(math.Abs(n.Number), 'f', -1, 64) == strings.TrimSuffix(whole+"."+strings.TrimRight(fraction, "0"), "."):
		return n.Number
	case math.Signbit(n.Number):
		return json.Number("-" + n.Text)
	}
	return json.Number(n.Text)
}

// wholeText returns the digits of a whole number that came as JSON, or is written in an
// expression, if a float64 may not have all of them.
func wholeText(v any) (string, bool) {
	n, ok := v.(json.Number)
	if !ok || len(n) <= wholeDigits || strings.ContainsAny(string(n), ".eE") {
		return "", false
	}
	return string(n), true
}

// sameNumber compares two numbers, to the last digit if both are whole.
func (e *Evaluator) sameNumber(a, b any) bool {
	f, _ := e.number(a)
	g, _ := e.number(b)
	return f == g && e.orderOfDigits(a, b) == 0
}

// orderOfDigits is [CompareDigits], and counts its work.
func (e *Evaluator) orderOfDigits(a, b any) int {
	x, ok := a.(json.Number)
	y, ok2 := b.(json.Number)
	if !ok || !ok2 {
		return 0
	}
	e.stepsOfDigits(x)
	e.stepsOfDigits(y)
	return CompareDigits(x, y)
}

// CompareDigits orders two whole numbers by their digits: it returns -1, 0 or 1. It returns 0
// unless both are a [json.Number] of more than 15 characters without point and exponent.
func CompareDigits(a, b Value) int {
	x, ok := wholeText(a)
	y, ok2 := wholeText(b)
	if !ok || !ok2 {
		return 0
	}
	switch negative, negative2 := x[0] == '-', y[0] == '-'; {
	case negative && negative2:
		x, y = y, x
	case negative:
		return -1
	case negative2:
		return 1
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y))
}

// beyond returns a number as a float64, and whether it is whole and has digits that the
// float64 has not.
func (e *Evaluator) beyond(n json.Number) (float64, bool) {
	f := e.parse(n)
	text, whole := wholeText(n)
	return f, whole && strconv.FormatFloat(f, 'f', 0, 64) != text
}

// appendNumber appends the text of a number that came as JSON. Equal numbers have equal texts,
// however they are spelled: the shortest that a float64 has, and all the digits that are
// written where a float64 would lose some.
func appendNumber(b []byte, n json.Number) []byte {
	if isShortest(n) {
		return append(b, n...)
	}
	digits, point, ok := splitDecimal(string(n))
	switch f, _ := strconv.ParseFloat(string(n), 64); { // out of range is an infinity
	case !ok:
		return append(b, n...)
	case digits == "":
		return append(b, '0')
	case f-f == 0 && (equalsDecimal(strconv.FormatFloat(f, 'e', -1, 64), digits, point) || equalsDecimal(strconv.FormatFloat(f, 'f', 0, 64), digits, point)):
		return appendFloat(b, f)
	}
	if n[0] == '-' {
		b = append(b, '-')
	}
	switch {
	case point > maxIntegerDigits || point < -5:
		b = append(b, digits[0])
		if len(digits) > 1 {
			b = append(append(b, '.'), digits[1:]...)
		}
		b = append(b, 'e')
		if point > 0 {
			b = append(b, '+')
		}
		return strconv.AppendInt(b, int64(point)-1, 10)
	case point <= 0:
		return append(append(append(b, "0."...), strings.Repeat("0", -point)...), digits...)
	case point < len(digits):
		return append(append(append(b, digits[:point]...), '.'), digits[point:]...)
	}
	return append(append(b, digits...), strings.Repeat("0", point-len(digits))...)
}

// DigitsText is the text that a JSON number has where it becomes part of a string.
func DigitsText(n json.Number) string { return string(appendNumber(nil, n)) }

// isShortest reports whether a JSON number is spelled as JavaScript writes it. It is false
// for some that are, such as long ones.
func isShortest(n json.Number) bool {
	if len(n) > wholeDigits || len(n) > 1 && n[0] == '-' && n[1] == '0' || strings.HasPrefix(string(n), "0.00000") {
		return false
	}
	pointed := false
	for i := range len(n) {
		switch n[i] {
		case '.':
			pointed = true
		case 'e', 'E':
			return false
		}
	}
	return !pointed || n[len(n)-1] != '0'
}

// splitDecimal returns the digits of a decimal number without zeros around them, and how many of
// them are before the point: "12" and 3 of "-120.0". Zero has none. ok is false for an
// exponent that is beyond all measure.
func splitDecimal(n string) (digits string, point int, ok bool) {
	mantissa, exponent := strings.TrimPrefix(n, "-"), 0
	if i := strings.IndexAny(mantissa, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(mantissa[i+1:]); err != nil {
			return "", 0, false
		}
		mantissa = mantissa[:i]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	point = len(whole) + exponent - (len(whole+fraction) - len(digits))
	return strings.TrimRight(digits, "0"), point, true
}

// equalsDecimal reports whether a decimal number has these digits.
func equalsDecimal(n, digits string, point int) bool {
	same, at, _ := splitDecimal(n)
	return same == digits && at == point
}

// exactInteger returns a whole number that may have more digits than a float64.
func exactInteger(v any) (*big.Int, bool) {
	text, ok := wholeText(v)
	if !ok || len(text) > maxIntegerDigits {
		return nil, false
	}
	return new(big.Int).SetString(text, 10)
}
