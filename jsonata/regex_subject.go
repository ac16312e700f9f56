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
			return subject{e: e, text: s}
		}
	case nil:
		return subject{e: e, text: s}
	}
	if !regex.HasHalves(s) {
		return subject{e: e, text: s}
	}
	return e.inUnits(s)
}

// whole is a part of the text as a text of its own.
func (s subject) whole(part string) string {
	if s.halves {
		return regex.Whole(part)
	}
	return part
}

// offset is where in the text a UTF-16 unit is, in bytes.
func (s subject) offset(unit int) int {
	if unit <= 0 {
		return 0
	}
	s.e.steps(min(unit, len(s.text)) >> 6)
	return offset(s.text, unit)
}

// length counts the UTF-16 units of the text.
func (s subject) length() int {
	s.e.steps(len(s.text) >> 6)
	return s.units(s.text)
}

// units counts the UTF-16 units of a part of the text.
func (s subject) units(part string) int {
	if s.halves {
		return runeCount(part)
	}
	return s.e.utf16Length(part)
}

// firstUnit is where a search begins, in UTF-16 units, as the second argument of a regular
// expression says.
func (e *Evaluator) firstUnit(v any) int {
	if held, ok := v.(bool); ok && held {
		return 1
	}
	x, _ := e.number(v)
	if !(x >= 1) {
		return 0
	}
	return int(min(x, math.MaxInt32))
}

// utf16Length counts the UTF-16 units of a text, in which JavaScript counts positions.
func (e *Evaluator) utf16Length(s string) int {
	if isASCII(s) {
		return len(s)
	}
	n := 0
	for len(s) > 0 {
		c, size := regex.DecodeRune(s)
		n += max(utf16.RuneLen(c), 1) // half of a character is one
		s = s[size:]
	}
	return n
}
