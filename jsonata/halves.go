package jsonata

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/internal/regex"
)

// A string is UTF-8. In JavaScript it is UTF-16, which can have half of a character beyond
// U+FFFF: "\ud83d", or what $split and regular expressions leave of one. Such a half is
// three bytes here, as UTF-8 would write it, and two that meet are the character. In JSON it
// is its escape.

// isASCII reports whether a text is ASCII.
func isASCII(s string) bool {
	for len(s) >= 8 {
		if s[0]|s[1]|s[2]|s[3]|s[4]|s[5]|s[6]|s[7] >= utf8.RuneSelf {
			return false
		}
		s = s[8:]
	}
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// hasHalf reports whether a text has half of a character.
func hasHalf(s string) bool { return strings.IndexByte(s, 0xED) >= 0 && nextHalf(s, 0) < len(s) }

// nextHalf is where from a byte on the first half of a character is, or the length.
func nextHalf(s string, from int) int {
	for {
		i := strings.IndexByte(s[from:], 0xED)
		if i < 0 {
			return len(s)
		}
		if from += i; isHalf(s, from) {
			return from
		}
		from++
	}
}

func isHalf(s string, i int) bool {
	return s[i] == 0xED && len(s)-i >= 3 && s[i+1] >= 0xA0 && s[i+1] <= 0xBF && s[i+2]&0xC0 == 0x80
}

// meet reports whether two texts that follow each other have a half each where they meet.
func meet(s, t string) bool {
	return len(t) > 0 && t[0] == 0xED && isHalf(t, 0) && t[1] >= 0xB0 && len(s) >= 3 && isHalf(s, len(s)-3) && s[len(s)-2] < 0xB0
}

// mayMeet reports whether a text may begin with half of a character.
func mayMeet(s string) bool { return s != "" && s[0] == 0xED }

// united is a text in which halves that meet are characters.
func united(s string) string {
	if !hasHalf(s) {
		return s
	}
	return regex.Whole(regex.Halves(s))
}

// united is [united]; its work is counted.
func (e *Evaluator) united(s string) string {
	if !hasHalf(s) {
		return s
	}
	return regex.Whole(e.halves(s))
}

// halves is [regex.Halves]; its work is counted.
func (e *Evaluator) halves(s string) string {
	e.alloc(2 * len(s))
	e.steps(len(s) >> 6)
	return regex.Halves(s)
}

// inHalves reports whether a text to be found may be in the middle of a character.
func inHalves(s string) bool {
	return len(s) >= 3 && (s[0] == 0xED || s[len(s)-3] == 0xED) && (isHalf(s, 0) || isHalf(s, len(s)-3))
}

func asIs(s string) string { return s }

// aroundHalves makes a text of what f makes of the texts between halves, which stay.
func aroundHalves(s string, f func(string) string) string {
	if !hasHalf(s) {
		return f(s)
	}
	var b strings.Builder
	for len(s) > 0 {
		i := nextHalf(s, 0)
		b.WriteString(f(s[:i]))
		if i < len(s) {
			b.WriteString(s[i : i+3])
			i += 3
		}
		s = s[i:]
	}
	return b.String()
}

// runeCount counts the characters of a text.
func runeCount(s string) int {
	if isASCII(s) {
		return len(s)
	}
	n := utf8.RuneCountInString(s)
	for i := nextHalf(s, 0); i < len(s); i = nextHalf(s, i+3) {
		n -= 2
	}
	return n
}

// units calls f with the UTF-16 units of a text.
func units(s string, f func(unit uint16)) {
	for len(s) > 0 {
		r, size := regex.DecodeRune(s)
		s = s[size:]
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			f(uint16(high))
			f(uint16(low))
			continue
		}
		f(uint16(r))
	}
}

// unitText is a UTF-16 unit as a text.
func unitText(unit uint16) string {
	if !utf16.IsSurrogate(rune(unit)) {
		return string(rune(unit))
	}
	var b strings.Builder
	regex.WriteRune(&b, rune(unit))
	return b.String()
}

// compareHalf orders a text that begins with half of a character and one that begins with a
// character beyond U+FFFF.
func compareHalf(s, t string) int {
	half, size := regex.DecodeRune(s)
	r, _ := regex.DecodeRune(t)
	high, low := utf16.EncodeRune(r)
	if half != high {
		return int(half - high)
	}
	if len(s) == size {
		return -1
	}
	next, _ := regex.DecodeRune(s[size:])
	if high, _ := utf16.EncodeRune(next); high != utf8.RuneError {
		next = high
	}
	return int(next - low)
}

// runesOf are the characters of a text, of which half of one is one, too.
func runesOf(s string) []rune {
	if !hasHalf(s) {
		return []rune(s)
	}
	var all []rune
	for s != "" {
		c, size := regex.DecodeRune(s)
		all, s = append(all, c), s[size:]
	}
	return all
}

// textOfRunes is the text of characters.
func (e *Evaluator) textOfRunes(all []rune) string {
	if !slices.ContainsFunc(all, utf16.IsSurrogate) {
		return string(all)
	}
	var b strings.Builder
	for _, c := range all {
		regex.WriteRune(&b, c)
	}
	return e.united(b.String())
}

func textOfRune(c rune) string {
	var b strings.Builder
	regex.WriteRune(&b, c)
	return b.String()
}
