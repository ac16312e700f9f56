package jsonata

import (
	"math"
	"strings"
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
