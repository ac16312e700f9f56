package jsonata

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// javaScriptText is what JavaScript makes of a value where it needs a string.
func (e *Evaluator) javaScriptText(v any, depth int) string {
	e.deep(depth)
	e.step()
	switch w := v.(type) {
	case nil:
		return "undefined"
	case null:
		return "null"
	case bool:
		return strconv.FormatBool(w)
	case string:
		return w
	case float64:
		if w-w != 0 {
			return notFiniteText(w)
		}
		return NumberText(w)
	case json.Number:
		e.stepsOfDigits(w)
		return DigitsText(w)
	case []any:
		parts := make([]string, len(w))
		for i, item := range w {
			if item != nil && !IsNull(item) {
				parts[i] = e.javaScriptText(item, depth+1)
			}
		}
		text := strings.Join(parts, ",")
		e.room("the text of an array", len(text))
		return text
	case *Object:
		if w.mark == &builtMark {
			e.fail(e.call.node, "not-a-string", "an object that the expression makes has no text here; use $string")
		}
	case *Function:
		if w.passed || w.regex != nil {
			e.fail(e.call.node, "D3012", "a function has no text")
		}
	}
	return "[object Object]"
}

// TrimSpace removes what JavaScript takes for white space from the ends of a text.
func TrimSpace(text string) string {
	return strings.TrimFunc(text, func(c rune) bool { return c == '\ufeff' || c != '\u0085' && unicode.IsSpace(c) })
}

// leadingNumber is the whole number that a text begins with, as JavaScript's parseInt reads
// it, or NaN.
func leadingNumber(text string) float64 {
	text = TrimSpace(text)
	digits, negative := strings.CutPrefix(text, "-")
	sign, base := -1.0, 10.0
	if !negative {
		digits, sign = strings.TrimPrefix(text, "+"), 1
	}
	if len(digits) > 2 && digits[0] == '0' && digits[1]|0x20 == 'x' {
		digits, base = digits[2:], 16
	}
	valid := func(c rune) bool { return c >= '0' && c <= '9' || base == 16 && (c|0x20 >= 'a' && c|0x20 <= 'f') }
	if end := strings.IndexFunc(digits, func(c rune) bool { return !valid(c) }); end >= 0 {
		digits = digits[:end]
	}
	if digits == "" {
		return math.NaN()
	}
	if base == 16 {
		digits = "0x" + digits + "p0"
	}
	x, _ := strconv.ParseFloat(digits, 64)
	return sign * x
}
