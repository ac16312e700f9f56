package jsonata

import (
	"encoding/base64"
	"net/url"
	"strings"
	"unicode/utf8"
)

func base64encode(e *Evaluator, args []any) any {
	s := args[0].(string)
	e.room("the result of $base64encode", 2*len(s))
	return base64.StdEncoding.EncodeToString([]byte(s))
}

// base64decode reads base64 as Node does: up to the first "=", without what is not a digit.
func base64decode(e *Evaluator, args []any) any {
	s := args[0].(string)
	e.room("the result of $base64decode", len(s))
	out := make([]byte, 0, len(s)*3/4)
	bits, known := uint32(0), 0
	for i := range len(s) {
		if s[i] == '=' {
			break
		}
		digit := base64Digit(s[i])
		if digit < 0 {
			continue
		}
		bits, known = bits<<6|uint32(digit), known+6
		if known >= 8 {
			known -= 8
			out = append(out, byte(bits>>known))
		}
	}
	if !utf8.Valid(out) {
		e.bad(0, "not-utf-8", "$base64decode: the bytes are not text in UTF-8")
	}
	return string(out)
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

// escape makes a function that escapes all but letters, digits and the characters in keep.
func escape(keep string) func(e *Evaluator, args []any) any {
	return func(e *Evaluator, args []any) any {
		s := args[0].(string)
		if !utf8.ValidString(s) {
			e.bad(0, "D3140", "$%s takes text that is valid Unicode", e.call.fn.name)
		}
		e.room("the result of $"+e.call.fn.name, 3*len(s))
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
}

// unescape makes the function that reads escapes, but those of the characters in keep.
func unescape(keep string) func(e *Evaluator, args []any) any {
	return func(e *Evaluator, args []any) any {
		s := args[0].(string)
		e.room("the result of $"+e.call.fn.name, len(s))
		text, err := url.PathUnescape(protected(s, keep))
		if err != nil || !utf8.ValidString(text) {
			e.bad(0, "D3140", "$%s: the text is not a URL that is escaped correctly, in UTF-8", e.call.fn.name)
		}
		return text
	}
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
