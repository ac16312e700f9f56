package regex

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// In JavaScript a text is UTF-16 units, and a character beyond U+FFFF is two of them, its
// halves. A pattern can match one alone. Where a text has such characters, it is matched
// with each half as a character of its own: the half U+D83D is U+10D83D. A half that has no
// other one is three bytes, as UTF-8 would write it.
const (
	firstHalf    = 0xD800
	firstLowHalf = 0xDC00
	lastHalf     = 0xDFFF
	halfPlane    = 0x100000
)

// HasHalves reports whether a text has a character that JavaScript writes as two units, or
// half of one.
func HasHalves(s string) bool {
	for i := 0; i < len(s); i++ {
		for len(s)-i >= 8 {
			if part := s[i : i+8]; part[0]|part[1]|part[2]|part[3]|part[4]|part[5]|part[6]|part[7] >= 0xED {
				break
			}
			i += 8
		}
		if i < len(s) && s[i] >= 0xED && (s[i] >= 0xF0 || s[i] == 0xED && i+1 < len(s) && s[i+1] >= 0xA0) {
			return true
		}
	}
	return false
}

// Halves is a text in which each half is a character of its own. Where a character of the
// text begins, one of its first half begins.
func Halves(s string) string {
	if !HasHalves(s) {
		return s
	}
	var b strings.Builder
	b.Grow(2 * len(s))
	for len(s) > 0 {
		r, size := DecodeRune(s)
		s = s[size:]
		switch high, low := utf16.EncodeRune(r); {
		case high != utf8.RuneError:
			b.WriteRune(high + halfPlane)
			b.WriteRune(low + halfPlane)
		case utf16.IsSurrogate(r):
			b.WriteRune(r + halfPlane)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Whole undoes [Halves] on a part of a text.
func Whole(s string) string {
	if !HasHalves(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		r = half(r)
		if next, size := utf8.DecodeRuneInString(s); utf16.IsSurrogate(r) && utf16.DecodeRune(r, half(next)) != utf8.RuneError {
			r = utf16.DecodeRune(r, half(next))
			s = s[size:]
		}
		WriteRune(&b, r)
	}
	return b.String()
}

// EndsInFirstHalf reports whether a text that [Halves] has made ends with the first half of a
// character.
func EndsInFirstHalf(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return utf16.IsSurrogate(half(r)) && half(r) < firstLowHalf
}

// half is the unit for which a character of [Halves] stands, or the character.
func half(r rune) rune {
	if r >= firstHalf+halfPlane && r <= lastHalf+halfPlane {
		return r - halfPlane
	}
	return r
}

// DecodeRune is the first character of a text, or half of one.
func DecodeRune(s string) (r rune, size int) {
	if len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] <= 0xBF && s[2]&0xC0 == 0x80 {
		return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), 3
	}
	return utf8.DecodeRuneInString(s)
}

// WriteRune writes a character, or half of one.
func WriteRune(b *strings.Builder, r rune) {
	if utf16.IsSurrogate(r) {
		b.Write([]byte{0xE0 | byte(r>>12), 0x80 | byte(r>>6)&0x3F, 0x80 | byte(r)&0x3F})
		return
	}
	b.WriteRune(r)
}
