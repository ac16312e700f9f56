package diag

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible returns a text in which control characters, and those that change the
// direction of text or take no room, are written as in JSON: \u001b for an escape.
// They can hide or forge what a person or a model reads. Tabs and ends of lines stay.
// JSON stays JSON of the same value.
func Visible(text string) string {
	at := hidden(text)
	if at < 0 {
		return text
	}
	b := make([]byte, 0, len(text)+len(text)/8+16)
	for at >= 0 {
		b = append(b, text[:at]...)
		r, size := utf8.DecodeRuneInString(text[at:])
		if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
			b = appendEscaped(appendEscaped(b, high), low)
		} else {
			b = appendEscaped(b, r)
		}
		text = text[at+size:]
		at = hidden(text)
	}
	return string(append(b, text...))
}

// appendEscaped appends a character of at most 16 bits as JSON escapes it.
func appendEscaped(b []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	return append(b, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

// hidden returns the index of the first character that is not to be shown, or -1.
func hidden(text string) int {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 0x20 && c < 0x7f, c == '\n', c == '\t':
		case c == '\r' && i+1 < len(text) && text[i+1] == '\n':
		case c < utf8.RuneSelf:
			return i
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			if r < 0xa0 || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Cf, r) {
				return i
			}
			i += size - 1
		}
	}
	return -1
}
