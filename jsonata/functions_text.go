package jsonata

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"net/url"
	"strings"
	"unicode/utf8"
)

// text is v as & and $string write it: JSON, but a string is itself, undefined and a
// function are empty.
func (e *Evaluator) text(v any, n *Node) string {
	switch w := v.(type) {
	case nil:
		return ""
	case string:
		return w
	case float64:
		if w-w != 0 {
			e.fail(n, "D3001", "a number that is not finite cannot become a string")
		}
		var buf [32]byte
		return string(appendText(buf[:0], w))
	case json.Number:
		var buf [32]byte
		return string(appendNumber(buf[:0], w))
	case *Function:
		return ""
	}
	return e.json(v, "")
}

// json is a value as JSON text, as $string writes it.
func (e *Evaluator) json(v any, indent string) string {
	enc := encoder{buf: e.encoded[:0], limit: e.limits.MaxResult, e: e, loose: true, indent: indent}
	err := enc.value(v, 0)
	if e.encoded = enc.buf; cap(e.encoded) > 1<<20 {
		e.encoded = nil
	}
	if fault, ok := errors.AsType[*Error](err); ok {
		if fault.Code == "not-a-number" {
			e.fail(e.call.node, "D1001", "a number that is not finite cannot become a string")
		}
		e.stop(fault)
	}
	e.alloc(len(enc.buf))
	return string(enc.buf)
}

func stringOf(e *Evaluator, args []any) any {
	v := unwrap(args[0])
	if v == nil {
		return nil
	}
	if pretty, _ := args[1].(bool); pretty {
		switch v.(type) {
		case []any, *Object:
			return e.json(v, "  ")
		}
	}
	return e.text(v, e.call.node)
}

// given is the i-th argument as a string. ok is false for undefined.
func given(args []any, i int) (s string, ok bool) {
	s, ok = args[i].(string)
	return s, ok
}

func lengthOf(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	e.steps(len(s) >> 10)
	return boxInt(utf8.RuneCountInString(s))
}

func lowercaseOf(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	e.room("the text", len(s))
	return strings.ToLower(s)
}

func uppercaseOf(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	e.room("the text", len(s))
	if strings.ContainsAny(s, "ßﬀﬁﬂﬃﬄﬅﬆ") {
		s = capitals.Replace(s)
	}
	return strings.ToUpper(s)
}

// capitals are the letters whose capitals are several.
var capitals = strings.NewReplacer("ß", "SS", "ﬀ", "FF", "ﬁ", "FI", "ﬂ", "FL", "ﬃ", "FFI", "ﬄ", "FFL", "ﬅ", "ST", "ﬆ", "ST")

func trimOf(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	e.room("the text", len(s))
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }), " ")
}

// substringOf is $substring(string, start, length?), in characters.
func substringOf(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	e.steps(len(s) >> 8)
	start, ok := number(args[1])
	n := float64(utf8.RuneCountInString(s))
	if !ok || n+start < 0 {
		start = 0
	}
	end := n
	if length, ok := number(args[2]); ok {
		if length <= 0 {
			return ""
		}
		if end = start + length; start < 0 {
			end += n
		}
	}
	if start < 0 {
		start += n
	}
	from, to := int(math.Trunc(min(start, n))), int(math.Trunc(min(max(end, 0), n)))
	if to <= from {
		return ""
	}
	return runes(s, from, to)
}

// runes cuts a text by positions in characters.
func runes(s string, from, to int) string {
	i, begin := 0, len(s)
	for at := range s {
		if i == from {
			begin = at
		}
		if i == to {
			return s[begin:at]
		}
		i++
	}
	return s[begin:]
}

func substringBefore(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	sep, ok := given(args, 1)
	if !ok {
		return s
	}
	e.steps(len(s) >> 10)
	before, _, _ := strings.Cut(s, sep)
	return before
}

func substringAfter(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	sep, ok := given(args, 1)
	if !ok {
		return s
	}
	e.steps(len(s) >> 10)
	if _, after, found := strings.Cut(s, sep); found {
		return after
	}
	return s
}

func joinOf(e *Evaluator, args []any) any {
	if args[0] == nil {
		return nil
	}
	sep, _ := args[1].(string)
	list := itemsOf(args[0])
	n := len(sep) * max(len(list)-1, 0)
	for _, item := range list {
		s, _ := item.(string)
		n += len(s)
	}
	e.steps(len(list) >> 3)
	e.room("the result of $join", n)
	var b strings.Builder
	b.Grow(n)
	for i, item := range list {
		if i > 0 {
			b.WriteString(sep)
		}
		s, _ := item.(string)
		b.WriteString(s)
	}
	return b.String()
}

// padOf is $pad(string, width, characters?).
func padOf(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	width, ok := number(args[1])
	if !ok {
		return s
	}
	fill, _ := args[2].(string)
	if fill == "" {
		fill = " "
	}
	missing := math.Trunc(math.Abs(width)) - float64(utf8.RuneCountInString(s))
	if !(missing > 0) {
		return s
	}
	chars := []rune(fill)
	e.room("the result of $pad", len(s)+int(min(missing, math.MaxInt32))*utf8.RuneLen(chars[0]))
	var b strings.Builder
	if width > 0 {
		b.WriteString(s)
	}
	if len(chars) == 1 {
		b.WriteString(strings.Repeat(fill, int(missing)))
	} else {
		for i := range int(missing) {
			if i&255 == 0 {
				e.step()
				if b.Len() > e.limits.MaxResult {
					e.stop(tooBig("the result of $pad", e.limits.MaxResult))
				}
			}
			b.WriteRune(chars[i%len(chars)])
		}
	}
	if width < 0 {
		b.WriteString(s)
	}
	return b.String()
}

func base64encode(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	e.room("the result of $base64encode", 2*len(s))
	b := make([]byte, 0, len(s))
	for _, r := range s { // as a string of bytes, where it is one
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
		case r >= utf8.RuneSelf || r <= ' ':
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

const (
	unescapedComponent = "-_.!~*'()"
	unescapedURL       = unescapedComponent + ";/?:@&=+$,#"
)

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
