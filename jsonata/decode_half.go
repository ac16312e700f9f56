package jsonata

import (
	"bytes"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-mcp/patchbay/internal/regex"
)

// escapesHalf reports whether JSON may have an escape of half of a character.
func escapesHalf(b []byte) bool {
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 || len(b)-i < 6 {
			return false
		}
		if b[i+1] == 'u' && b[i+2]|0x20 == 'd' {
			return true
		}
		b = b[i+2:]
	}
}

// unquoted is the text of a JSON string. The escape of half of a character without the other
// is that half.
func unquoted(raw []byte) string {
	var b strings.Builder
	begin := 1
	flush := func(end int) {
		part, _ := jsontext.AppendUnquote(nil, append(append([]byte{'"'}, raw[begin:end]...), '"'))
		b.Write(part)
	}
	for i := 1; i < len(raw)-1; {
		if raw[i] != '\\' {
			i++
			continue
		}
		high, ok := escapedUnit(raw[i:])
		if !ok || !utf16.IsSurrogate(high) {
			i += 2
			continue
		}
		if low, ok := escapedUnit(raw[i+6:]); ok && utf16.DecodeRune(high, low) != utf8.RuneError {
			i += 12
			continue
		}
		flush(i)
		regex.WriteRune(&b, high)
		i += 6
		begin = i
	}
	flush(len(raw) - 1)
	return b.String()
}

// escapedUnit is the UTF-16 unit of an escape at the beginning of text.
func escapedUnit(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	return hex4(string(text[2:6]))
}

// escapedHalves is a text with the escapes of halves of characters, as JSON has them.
func escapedHalves(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		i := nextHalf(s, 0)
		b.WriteString(s[:i])
		if i < len(s) {
			quoted := appendString(nil, s[i:i+3])
			b.Write(quoted[1 : len(quoted)-1])
			i += 3
		}
		s = s[i:]
	}
	return b.String()
}
