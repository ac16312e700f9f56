package jsonata

import (
	"math"
	"strings"
)

// padOf is $pad(string, width, characters?).
func padOf(e *Evaluator, args []any) any {
	s, ok := given(args, 0)
	if !ok {
		return nil
	}
	width, ok := e.number(args[1])
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
	first := ""
	if meet(fill, fill) { // the characters of its repetition are others
		first, fill = fill[:3], e.united(fill[3:]+fill[:3])
		missing--
	}
	n, count := int(min(missing, math.MaxInt32)), e.characters(fill)
	last := e.offset(fill, n%count) // of the last repetition, which is a part
	size := len(s) + n/count*len(fill) + last
	e.room("the result of $pad", size)
	var b strings.Builder
	b.Grow(size)
	if width > 0 {
		e.write(&b, s)
	}
	b.WriteString(first)
	e.repeat(&b, fill, n/count)
	e.write(&b, fill[:last])
	if width < 0 {
		e.write(&b, s)
	}
	return e.united(b.String())
}
