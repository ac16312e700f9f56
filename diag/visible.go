package diag

import (
	"fmt"
	"strings"
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
	var b strings.Builder
	b.Grow(len(text) + 16)
	for at >= 0 {
		b.WriteString(text[:at])
		r, size := utf8.DecodeRuneInString(text[at:])
		if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		} else {
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		text = text[at+size:]
		at = hidden(text)
	}
	b.WriteString(text)
	return b.String()
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
			if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
				return i
			}
			i += size - 1
		}
	}
	return -1
}
