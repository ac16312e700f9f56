package jsonata

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
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
		e.steps(2)
		var buf [32]byte
		return string(appendText(buf[:0], w))
	case json.Number:
		e.steps(2)
		e.stepsOfDigits(w)
		var buf [32]byte
		return string(appendNumber(buf[:0], w))
	case *Function:
		return ""
	}
	return e.json(unwrap(v), "", n)
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
	return string(enc.buf)
}

func callString(e *Evaluator, args []any) any {
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

func callLength(_ *Evaluator, args []any) any {
	return boxInt(runeCount(args[0].(string)))
}

func callLowercase(e *Evaluator, args []any) any {
	s := args[0].(string)
	e.room("the text", len(s))
	return strings.ToLower(s)
}

func callUppercase(e *Evaluator, args []any) any {
	s := args[0].(string)
	e.room("the text", len(s))
	return toUpper(s)
}

func toUpper(s string) string {
	if strings.Contains(s, "ß") || strings.Contains(s, "\xef\xac") { // the first bytes of "ﬀ" to "ﬆ"
		s = capitals.Replace(s)
	}
	return strings.ToUpper(s)
}

// capitals are the letters whose capitals are several.
var capitals = strings.NewReplacer("ß", "SS", "ﬀ", "FF", "ﬁ", "FI", "ﬂ", "FL", "ﬃ", "FFI", "ﬄ", "FFL", "ﬅ", "ST", "ﬆ", "ST")

func callTrim(e *Evaluator, args []any) any {
	s := args[0].(string)
	e.room("the text", len(s))
	var b strings.Builder
	b.Grow(len(s))
	blank := false
	for i := range len(s) {
		switch c := s[i]; {
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
	return b.String()
}

// callSubstring is $substring(string, start, length?), in characters.
func callSubstring(e *Evaluator, args []any) any {
	s := args[0].(string)
	start, ok := e.number(args[1])
	n := float64(runeCount(s))
	if !ok || n+start < 0 {
		start = 0
	}
	end := n
	if length, ok := e.number(args[2]); ok {
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
	s = s[offset(s, from):]
	return s[:offset(s, to-from)]
}

func substringBefore(_ *Evaluator, args []any) any {
	s := args[0].(string)
	sep, ok := args[1].(string)
	if !ok {
		return s
	}
	before, _, _ := strings.Cut(s, sep)
	return before
}

func substringAfter(_ *Evaluator, args []any) any {
	s := args[0].(string)
	sep, ok := args[1].(string)
	if !ok {
		return s
	}
	if _, after, found := strings.Cut(s, sep); found {
		return after
	}
	return s
}

func callJoin(e *Evaluator, args []any) any {
	sep, _ := args[1].(string)
	list := listItems(args[0])
	n := len(sep) * max(len(list)-1, 0)
	for _, item := range list {
		s, _ := item.(string)
		n += len(s)
	}
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

const (
	unescapedComponent = "-_.!~*'()"
	unescapedURL       = unescapedComponent + ";/?:@&=+$,#"
)

// callPad is $pad(string, width, characters?).
func callPad(e *Evaluator, args []any) any {
	s := args[0].(string)
	width, ok := e.number(args[1])
	if !ok {
		return s
	}
	fill, _ := args[2].(string)
	if fill == "" {
		fill = " "
	}
	missing := math.Trunc(math.Abs(width)) - float64(runeCount(s))
	if !(missing > 0) {
		return s
	}
	n, count := int(min(missing, math.MaxInt32)), runeCount(fill)
	last := offset(fill, n%count) // of the last repetition, which is a part
	size := len(s) + n/count*len(fill) + last
	e.room("the result of $pad", size)
	var b strings.Builder
	b.Grow(size)
	if width > 0 {
		b.WriteString(s)
	}
	b.WriteString(strings.Repeat(fill, n/count))
	b.WriteString(fill[:last])
	if width < 0 {
		b.WriteString(s)
	}
	return b.String()
}
