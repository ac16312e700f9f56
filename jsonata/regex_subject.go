package jsonata

import (
	"math"
	"unicode/utf16"

	"github.com/patchbay-mcp/patchbay/internal/regex"
)

// A subject is a text in which a pattern is searched, by which a character is a UTF-16 unit:
// [regex.Halves] where that matters.
type subject struct {
	e      *Evaluator
	text   string
	halves bool
}

// inUnits is a text in which each half is a character.
func (e *Evaluator) inUnits(s string) subject { return subject{e, e.halves(s), true} }

// subject is a text for a pattern, which is a string, a function or undefined.
func (e *Evaluator) subject(s string, pattern any) subject {
	switch p := pattern.(type) {
	case string:
		if !inHalves(p) {
			return subject{text: s}
		}
	case nil:
		return subject{text: s}
	}
	if !regex.HasHalves(s) {
		return subject{text: s}
	}
	return e.inUnits(s)
}

// whole is a part of the text as a text of its own.
func (s subject) whole(part string) string {
	if s.halves {
		return s.e.whole(part)
	}
	return part
}

// offset is where in the text a UTF-16 unit is, in bytes.
func (s subject) offset(unit int) int {
	for at := range s.text {
		if unit <= 0 {
			return at
		}
		unit--
	}
	return len(s.text)
}

// firstUnit is where a search begins, in UTF-16 units, as the second argument of a regular
// expression says.
func firstUnit(v any) int {
	if held, ok := v.(bool); ok && held {
		return 1
	}
	x, _ := number(v)
	if !(x >= 1) {
		return 0
	}
	return int(min(x, math.MaxInt32))
}

// utf16Length counts the UTF-16 units of a text, in which JavaScript counts positions.
func utf16Length(s string) int {
	n := 0
	for _, c := range s {
		n += utf16.RuneLen(c)
	}
	for i := nextHalf(s, 0); i < len(s); i = nextHalf(s, i+3) {
		n -= 2
	}
	return n
}
