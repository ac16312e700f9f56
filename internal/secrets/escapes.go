package secrets

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// bareText takes out what escapes add to a text, and the ends of its lines.
var bareText = strings.NewReplacer(`\`, "", "\r", "", "\n", "")

// withoutEscaped masks secrets in which any characters are written as escapes of JSON, by
// whatever number of backslashes.
func (r *Redactor) withoutEscaped(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	bare, places := unescape(s)
	var out strings.Builder
	done := 0 // bytes of s that are in out
	for _, m := range matches(bare, r.unescaped) {
		out.WriteString(s[done:places[m.at]] + Hidden)
		done = places[m.at+len(m.value)]
	}
	return out.String() + s[done:]
}

// unescape returns a text without the escapes of JSON, backslashes and ends of lines, and
// where each byte of it begins in the text; the last place is the end of the text.
func unescape(s string) (string, []int) {
	out, places := make([]byte, 0, len(s)), make([]int, 0, len(s)+1)
	for i := 0; i < len(s); {
		rest := strings.TrimLeft(s[i:], `\`)
		from, slashes := i, len(s)-i-len(rest)
		i += slashes
		switch c, size := escapedRune(rest); {
		case rest == "" || slashes == 0 && (rest[0] == '\n' || rest[0] == '\r'):
			i += min(len(rest), 1)
		case slashes > 0 && (rest[0] == 'n' || rest[0] == 'r'):
			i++
		case slashes > 0 && size > 0:
			i += size
			if c != '\\' && c != '\n' && c != '\r' {
				out = utf8.AppendRune(out, c)
			}
			for len(places) < len(out) {
				places = append(places, from)
			}
		default:
			out, places = append(out, rest[0]), append(places, from)
			i++
		}
	}
	return string(out), append(places, len(s))
}

// escapedRune reads what follows the backslash of an escape with four digits, or of two if it
// takes two to write the character, and returns its length, or 0.
func escapedRune(s string) (rune, int) {
	c, size := escapedUnit(s)
	if size == 0 || !utf16.IsSurrogate(c) {
		return c, size
	}
	rest := strings.TrimLeft(s[size:], `\`)
	second, more := escapedUnit(rest)
	if whole := utf16.DecodeRune(c, second); more > 0 && whole != utf8.RuneError {
		return whole, len(s) - len(rest) + more
	}
	return c, size
}

func escapedUnit(s string) (rune, int) {
	if len(s) < 5 || s[0] != 'u' {
		return 0, 0
	}
	n, err := strconv.ParseUint(s[1:5], 16, 16)
	if err != nil {
		return 0, 0
	}
	return rune(n), 5
}
