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

// exactInteger returns a whole number that may have more digits than a float64.
func exactInteger(v any) (*big.Int, bool) {
	text, ok := wholeText(v)
	if !ok || len(text) > maxIntegerDigits {
		return nil, false
	}
	return new(big.Int).SetString(text, 10)
}
