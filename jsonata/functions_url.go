package jsonata

import (
	"encoding/base64"
	"net/url"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

func base64encode(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	e.room("the result of $base64encode", 2*len(s))
	b := make([]byte, 0, len(s))
	for _, r := range s { // as a string of bytes, where it is one
		if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
			b = append(b, byte(high), byte(low))
			continue
		}
		b = append(b, byte(r))
	}
	return base64.StdEncoding.EncodeToString(b)
}

func base64decode(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	e.room("the result of $base64decode", len(s))
	text := strings.Map(func(r rune) rune {
		switch {
		case r == '-':
			return '+'
		case r == '_':
			return '/'
		case r <= ' ':
			return -1
		}
		return r
	}, strings.TrimRight(strings.TrimSpace(s), "="))
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		e.bad(0, "D3137", "$base64decode: the text is not base64")
	}
	out := make([]rune, len(b))
	for i, c := range b {
		out[i] = rune(c)
	}
	return string(out)
}

func escape(e *Evaluator, args []any, keep, name string) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	if !utf8.ValidString(s) || strings.ContainsRune(s, utf8.RuneError) { // what half of a surrogate pair is decoded to
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
	text, err := url.PathUnescape(protected(s, keep))
	if err != nil || !utf8.ValidString(text) {
		e.bad(0, "D3140", "$%s: the text is not a URL that is escaped correctly", name)
	}
	return text
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
