package jsonata

import (
	"encoding/json"
	"math"
	"strings"
)

// A test evaluates a condition.
type test func(e *Evaluator, f *frame, in any) bool

// A numeric evaluates an operand of arithmetic. ok is false for undefined.
type numeric func(e *Evaluator, f *frame, in any) (v float64, ok bool)

func (c *compiler) binary(n *Node) code {
	switch n.Text {
	case "&":
		return c.concat(n)
	case "<", "<=", ">", ">=":
		compare := c.compare(n)
		return func(e *Evaluator, f *frame, in any) any {
			holds, known := compare(e, f, in)
			if !known {
				return nil
			}
			return holds
		}
	case "+", "-", "*", "/", "%":
		value := c.arithmetic(n)
		return func(e *Evaluator, f *frame, in any) any {
			v, ok := value(e, f, in)
			if !ok {
				return nil
			}
			return e.box(v)
		}
	}
	holds := c.test(n)
	return func(e *Evaluator, f *frame, in any) any { return holds(e, f, in) }
}

// isTest reports whether the value of a node is a boolean or undefined, so that it is
// not made to be tested.
func isTest(n *Node) bool {
	if n.Kind == KindBlock && len(n.Args) == 1 {
		n = n.Args[0]
	}
	if n.Kind != KindBinary || len(n.Stages) > 0 || n.Group != nil {
		return false
	}
	switch n.Text {
	case "=", "!=", "<", "<=", ">", ">=", "and", "or", "in":
		return true
	}
	return false
}

// test compiles a condition.
func (c *compiler) test(n *Node) test {
	if !isTest(n) {
		value := c.inner(n)
		return func(e *Evaluator, f *frame, in any) bool {
			switch v := value(e, f, in).(type) {
			case bool:
				return v
			case nil:
				return false
			default:
				return e.truthAt(v, 0)
			}
		}
	}
	if n.Kind == KindBlock {
		n = n.Args[0]
	}
	c.tail = false
	switch n.Text {
	case "and":
		left, right := c.test(n.Args[0]), c.test(n.Args[1])
		return func(e *Evaluator, f *frame, in any) bool { return left(e, f, in) && right(e, f, in) }
	case "or":
		left, right := c.test(n.Args[0]), c.test(n.Args[1])
		return func(e *Evaluator, f *frame, in any) bool { return left(e, f, in) || right(e, f, in) }
	case "=", "!=":
		return c.equals(n)
	case "in":
		return c.includes(n)
	}
	compare := c.compare(n)
	return func(e *Evaluator, f *frame, in any) bool {
		holds, _ := compare(e, f, in)
		return holds
	}
}

func (c *compiler) equals(n *Node) test {
	left, right := c.inner(n.Args[0]), c.inner(n.Args[1])
	want := n.Text == "="
	if r := n.Args[1]; r.Kind == KindString && len(r.Stages) == 0 && r.Group == nil {
		text := r.Text
		return func(e *Evaluator, f *frame, in any) bool {
			e.step()
			v := left(e, f, in)
			if v == nil {
				return false
			}
			s, ok := v.(string)
			return (ok && s == text) == want
		}
	}
	return func(e *Evaluator, f *frame, in any) bool {
		e.step()
		a, b := left(e, f, in), right(e, f, in)
		if a == nil || b == nil {
			return false
		}
		return e.equal(a, b, 0) == want
	}
}

// equal compares two values that are not both undefined, with all that is in them.
func (e *Evaluator) equal(a, b any, depth int) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case string:
		y, ok := b.(string)
		return ok && x == y
	case float64:
		switch y := b.(type) {
		case float64:
			return x == y
		case json.Number:
			return x == parseNumber(string(y))
		}
		return false
	case json.Number:
		switch b.(type) {
		case float64, json.Number:
			return sameNumber(a, b)
		}
		return false
	case bool:
		y, ok := b.(bool)
		return ok && x == y
	case null:
		return IsNull(b)
	case []any:
		y, ok := b.([]any)
		return ok && len(x) == len(y) && e.equalItems(x, y, depth)
	case *Object:
		y, ok := b.(*Object)
		return ok && (x == y || len(x.keys) == len(y.keys) && e.equalObjects(x, y, depth))
	}
	return a == b
}

func (e *Evaluator) equalItems(x, y []any, depth int) bool {
	if depth > maxValueDepth {
		e.stop(tooDeep())
	}
	for i := range x {
		e.step()
		if !e.equal(x[i], y[i], depth+1) {
			return false
		}
	}
	return true
}

func (e *Evaluator) equalObjects(x, y *Object, depth int) bool {
	if depth > maxValueDepth {
		e.stop(tooDeep())
	}
	for i, k := range x.keys {
		e.step()
		j := y.find(k)
		if j < 0 || !e.equal(x.vals[i], y.vals[j], depth+1) {
			return false
		}
	}
	return true
}

// includes compiles "in". Arrays and objects are in nothing, as in JavaScript, where
// they equal only themselves.
func (c *compiler) includes(n *Node) test {
	left, right := c.inner(n.Args[0]), c.inner(n.Args[1])
	return func(e *Evaluator, f *frame, in any) bool {
		e.step()
		a, b := left(e, f, in), right(e, f, in)
		if a == nil || b == nil {
			return false
		}
		list, ok := b.([]any)
		if !ok {
			return identical(a, b)
		}
		for i := range list {
			e.step()
			if identical(a, list[i]) {
				return true
			}
		}
		return false
	}
}

// identical is JavaScript's ===.
func identical(a, b any) bool {
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		return ok && len(x) == len(y) && len(x) > 0 && &x[0] == &y[0]
	case float64, json.Number:
		switch b.(type) {
		case float64, json.Number:
			return sameNumber(a, b)
		}
		return false
	case nil:
		return b == nil
	}
	if _, ok := b.([]any); ok {
		return false
	}
	return a == b
}

// compare compiles an order. known is false where one side is undefined.
func (c *compiler) compare(n *Node) func(e *Evaluator, f *frame, in any) (holds, known bool) {
	left, right := c.inner(n.Args[0]), c.inner(n.Args[1])
	less, equal := n.Text[0] == '<', len(n.Text) > 1
	return func(e *Evaluator, f *frame, in any) (bool, bool) {
		e.step()
		a, b := left(e, f, in), right(e, f, in)
		x, xOK := number(a)
		y, yOK := number(b)
		if xOK && yOK {
			switch {
			case less && equal:
				return x <= y, true
			case less:
				return x < y, true
			case equal:
				return x >= y, true
			}
			return x > y, true
		}
		s, sOK := a.(string)
		t, tOK := b.(string)
		if sOK && tOK {
			order := compareTexts(s, t)
			return order == 0 && equal || less && order < 0 || !less && order > 0, true
		}
		e.incomparable(n, a, b, xOK || sOK, yOK || tOK)
		return false, false
	}
}

// incomparable fails unless one side is undefined and the other can be compared.
func (e *Evaluator) incomparable(n *Node, a, b any, comparableA, comparableB bool) {
	switch {
	case a != nil && !comparableA || b != nil && !comparableB:
		at := n.Args[0]
		if a == nil || comparableA {
			at = n.Args[1]
		}
		e.fail(at, "T2010", "the operands of the %q operator must be numbers or strings, got %s and %s", n.Text, describe(a), describe(b))
	case a != nil && b != nil:
		e.fail(n, "T2009", "the operands of the %q operator must be both numbers or both strings, got %s and %s", n.Text, describe(a), describe(b))
	}
}

// compareTexts orders strings as JavaScript does, by UTF-16 units: what is beyond
// U+FFFF is written with surrogates there, which come before U+E000.
func compareTexts(s, t string) int {
	n := min(len(s), len(t))
	for i := range n {
		if a, b := s[i], t[i]; a != b {
			if a >= 0xEE && b >= 0xEE && (a >= 0xF0) != (b >= 0xF0) {
				return int(b) - int(a)
			}
			return int(a) - int(b)
		}
	}
	return len(s) - len(t)
}

func isArithmetic(operator string) bool {
	return len(operator) == 1 && strings.ContainsAny(operator, "+-*/%")
}

// numeric compiles an operand of arithmetic; side is 0 for the left one.
func (c *compiler) numeric(n, operand *Node, side int) numeric {
	inner := operand
	if inner.Kind == KindBlock && len(inner.Args) == 1 && len(inner.Stages) == 0 && inner.Group == nil {
		inner = inner.Args[0]
	}
	if inner.Kind == KindBinary && len(inner.Stages) == 0 && inner.Group == nil && isArithmetic(inner.Text) {
		value := c.arithmetic(inner)
		return func(e *Evaluator, f *frame, in any) (float64, bool) {
			v, ok := value(e, f, in)
			if v-v != 0 && ok {
				e.outOfRange(n, side, v)
			}
			return v, ok
		}
	}
	value := c.inner(operand)
	return func(e *Evaluator, f *frame, in any) (float64, bool) {
		switch v := value(e, f, in).(type) {
		case json.Number:
			return parseNumber(string(v)), true
		case float64:
			if v-v != 0 {
				e.outOfRange(n, side, v)
			}
			return v, true
		case nil:
			return 0, false
		default:
			e.fail(n.Args[side], []string{"T2001", "T2002"}[side], "the %s operand of the %q operator must evaluate to a number, got %s", []string{"left", "right"}[side], n.Text, describe(v))
			return 0, false
		}
	}
}

// outOfRange fails for an operand that is not finite.
func (e *Evaluator) outOfRange(n *Node, side int, v float64) {
	if v != v { // NaN is not a number
		e.fail(n.Args[side], []string{"T2001", "T2002"}[side], "the %s operand of the %q operator is not a number", []string{"left", "right"}[side], n.Text)
	}
	e.fail(n.Args[side], "D1001", "the %s operand of the %q operator is out of range", []string{"left", "right"}[side], n.Text)
}

var operations = [...]func(x, y float64) float64{
	'+': func(x, y float64) float64 { return x + y },
	'-': func(x, y float64) float64 { return x - y },
	'*': func(x, y float64) float64 { return x * y },
	'/': func(x, y float64) float64 { return x / y },
	'%': math.Mod,
}

func (c *compiler) arithmetic(n *Node) numeric {
	left, right := c.numeric(n, n.Args[0], 0), c.numeric(n, n.Args[1], 1)
	operate := operations[n.Text[0]]
	return func(e *Evaluator, f *frame, in any) (float64, bool) {
		e.step()
		x, ok := left(e, f, in)
		y, ok2 := right(e, f, in)
		if !ok || !ok2 {
			return 0, false
		}
		v := operate(x, y)
		if v-v != 0 {
			e.infinite = n
		}
		return v, true
	}
}

func (c *compiler) negate(n *Node) code {
	value := c.inner(n.Args[0])
	return func(e *Evaluator, f *frame, in any) any {
		e.step()
		v := value(e, f, in)
		if v == nil {
			return nil
		}
		x, ok := number(v)
		if !ok {
			e.fail(n, "D1002", "the operand of the unary - operator must evaluate to a number, got %s", describe(v))
		}
		return e.box(-x)
	}
}

// concat compiles a chain of "&", so that its text is made at once.
func (c *compiler) concat(n *Node) code {
	var nodes []*Node
	at := n
	for at.Kind == KindBinary && at.Text == "&" && len(at.Stages) == 0 && at.Group == nil {
		nodes = append(nodes, at.Args[1])
		at = at.Args[0]
	}
	nodes = append(nodes, at)
	parts := make([]code, len(nodes))
	for i, part := range nodes {
		parts[len(nodes)-1-i] = c.inner(part)
	}
	if len(parts) == 2 {
		left, right := parts[0], parts[1]
		return func(e *Evaluator, f *frame, in any) any {
			e.step()
			a, b := left(e, f, in), right(e, f, in)
			s, t := e.text(a, n), e.text(b, n)
			e.room("the text", len(s)+len(t))
			return s + t
		}
	}
	return func(e *Evaluator, f *frame, in any) any {
		base := len(e.stack)
		size := 0
		for _, part := range parts {
			e.step()
			s := e.text(part(e, f, in), n)
			size += len(s)
			e.stack = append(e.stack, s)
		}
		e.room("the text", size)
		var b strings.Builder
		b.Grow(size)
		for _, s := range e.stack[base:] {
			b.WriteString(s.(string))
		}
		clear(e.stack[base:])
		e.stack = e.stack[:base]
		return b.String()
	}
}

// room counts the memory of a text of n bytes, before it is made.
func (e *Evaluator) room(what string, n int) {
	if n < 0 || n > e.limits.MaxResult {
		e.stop(tooBig(what, e.limits.MaxResult))
	}
	e.alloc(n)
	e.steps(n >> 8)
}
