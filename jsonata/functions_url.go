package jsonata

import (
	"encoding/base64"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/patchbay-mcp/patchbay/internal/regex"
)

func base64encode(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	e.room("the result of $base64encode", 2*len(s))
	b := make([]byte, 0, len(s))
	units(s, func(unit uint16) { b = append(b, byte(unit)) }) // as a string of bytes, where it is one
	return base64.StdEncoding.EncodeToString(b)
}

func base64decode(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	e.room("the result of $base64decode", len(s))
	return e.decodeBase64(s)
}

// decodeBase64 reads base64 as Node does: of each UTF-16 unit the lower byte, up to the
// first "=", and what is not a digit is passed over.
func (e *Evaluator) decodeBase64(s string) string {
	var out strings.Builder
	out.Grow(len(s) * 3 / 4)
	bits, known, ended := uint32(0), 0, false
	read := func(c byte) {
		digit := base64Digit(c)
		if ended = ended || c == '='; ended || digit < 0 {
			return
		}
		bits, known = bits<<6|uint32(digit), known+6
		if known >= 8 {
			known -= 8
			out.WriteRune(rune(bits >> known & 0xff))
		}
	}
	units(s, func(unit uint16) { read(byte(unit)) })
	return out.String()
}

// base64Digit is the value of a digit of either alphabet, or negative.
func base64Digit(c byte) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+' || c == '-':
		return 62
	case c == '/' || c == '_':
		return 63
	}
	return -1
}

func escape(e *Evaluator, args []any, keep, name string) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	if !utf8.ValidString(s) {
		e.bad(0, "D3140", "$%s takes text that is valid Unicode", name)
	}
	e.room("the result of $"+name, 3*len(s))
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(keep, c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte("0123456789ABCDEF"[c>>4])
		b.WriteByte("0123456789ABCDEF"[c&15])
	}
	return b.String()
}

func encodeURL(e *Evaluator, args []any) any { return escape(e, args, unescapedURL, "encodeUrl") }

func encodeURLComponent(e *Evaluator, args []any) any {
	return escape(e, args, unescapedComponent, "encodeUrlComponent")
}

func unescape(e *Evaluator, args []any, name string, keep string) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	e.room("the result of $"+name, len(s))
	whole := asIs
	if hasHalf(s) {
		s, whole = e.halves(s), regex.Whole
	}
	text, err := url.PathUnescape(protected(s, keep))
	if err != nil || !utf8.ValidString(text) {
		e.bad(0, "D3140", "$%s: the text is not a URL that is escaped correctly", name)
	}
	return whole(text)
}

// protected escapes once more the escapes of the characters in keep.
func protected(s, keep string) string {
	if keep == "" {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := url.PathUnescape(s[i : i+3]); err == nil && strings.Contains(keep, c) {
				b.WriteString("%25")
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func decodeURL(e *Evaluator, args []any) any {
	return unescape(e, args, "decodeUrl", ";/?:@&=+$,#")
}

func decodeURLComponent(e *Evaluator, args []any) any {
	return unescape(e, args, "decodeUrlComponent", "")
}
