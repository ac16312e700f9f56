package jsonata

import (
	"encoding/json"
	"errors"
	"math"
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
	return e.json(v, "", n)
}

// json is a value as JSON text, as $string writes it.
func (e *Evaluator) json(v any, indent string, n *Node) string {
	enc := encoder{buf: e.encoded[:0], limit: e.limits.MaxResult, e: e, loose: true, indent: indent}
	err := enc.value(v, 0)
	if e.encoded = enc.buf; cap(e.encoded) > 1<<20 {
		e.encoded = nil
	}
	if fault, ok := errors.AsType[*Error](err); ok {
		if fault.Code == "not-a-number" {
			e.fail(n, "D1001", "a number that is not finite cannot become a string")
		}
		e.stop(fault)
	}
	e.alloc(len(enc.buf))
	return e.textOf(enc.buf)
}

func stringOf(e *Evaluator, args []any) any {
	v := unwrap(args[0])
	if v == nil {
		return nil
	}
	if pretty, _ := args[1].(bool); pretty {
		switch v.(type) {
		case []any, *Object:
			return e.json(v, "  ", e.argument(0))
		}
	}
	return e.text(v, e.argument(0))
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
	return boxInt(e.characters(s))
}

func lowercaseOf(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	e.room("the text", len(s))
	return e.mapped(s, strings.ToLower)
}

func uppercaseOf(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	e.room("the text", len(s))
	return e.mapped(s, func(piece string) string {
		if strings.ContainsAny(piece, "ßﬀﬁﬂﬃﬄﬅﬆ") {
			piece = capitals.Replace(piece)
		}
		return strings.ToUpper(piece)
	})
}

// capitals are the letters whose capitals are several.
var capitals = strings.NewReplacer("ß", "SS", "ﬀ", "FF", "ﬁ", "FI", "ﬂ", "FL", "ﬃ", "FFI", "ﬄ", "FFL", "ﬅ", "ST", "ﬆ", "ST")

func trimOf(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	e.room("the text", len(s))
	var b strings.Builder
	b.Grow(len(s))
	blank := false
	e.pieces(s, func(piece string) {
		for i := range len(piece) {
			switch c := piece[i]; {
			case c == ' ' || c == '\t' || c == '\n' || c == '\r':
				blank = b.Len() > 0
			case blank:
				b.WriteByte(' ')
				blank = false
				fallthrough
			default:
				b.WriteByte(c)
			}
		}
	})
	return b.String()
}

// substringOf is $substring(string, start, length?), in characters.
func substringOf(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	start, ok := number(args[1])
	n := float64(e.characters(s))
	if !ok || n+start < 0 {
		start = 0
	}
	end := n
	if length, ok := number(args[2]); ok {
		if length <= 0 || args[1] == nil {
			return ""
		}
		if end = start + length; start < 0 {
			end += n
		}
	}
	if math.IsNaN(end) {
		return ""
	}
	if start = math.Trunc(start); start < 0 {
		start += n
	} else if math.IsNaN(start) {
		start = 0
	}
	from, to := int(math.Trunc(min(start, n))), int(math.Trunc(min(max(end, 0), n)))
	if to <= from {
		return ""
	}
	s = s[e.offset(s, from):]
	return s[:e.offset(s, to-from)]
}

func substringBefore(_ *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	sep, ok := given(args, 1)
	if !ok {
		return s
	}
	before, _, _ := strings.Cut(s, sep)
	return before
}

func substringAfter(_ *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	sep, ok := given(args, 1)
	if !ok {
		return s
	}
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
	for i, item := range list {
		s, _ := item.(string)
		if n += len(s); i%pieceItems == pieceItems-1 {
			e.look()
		}
	}
	e.room("the result of $join", n)
	var b strings.Builder
	b.Grow(n)
	for i, item := range list {
		if i > 0 {
			b.WriteString(sep)
		}
		s, _ := item.(string)
		if b.WriteString(s); i%pieceItems == pieceItems-1 {
			e.look()
		}
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
	missing := math.Trunc(math.Abs(width)) - float64(e.characters(s))
	if !(missing > 0) {
		return s
	}
	chars := []rune(fill)
	size := len(s) + int(min(missing, math.MaxInt32))*utf8.RuneLen(chars[0])
	e.room("the result of $pad", size)
	var b strings.Builder
	b.Grow(size)
	if width > 0 {
		b.WriteString(s)
	}
	if len(chars) == 1 {
		e.repeat(&b, fill, int(missing))
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

const (
	unescapedComponent = "-_.!~*'()"
	unescapedURL       = unescapedComponent + ";/?:@&=+$,#"
)
