package jsonata

import (
	"encoding/json"
	"math"
	"strings"
)

// A test evaluates a condition.
type test func(e *Evaluator, f *frame, in any) bool

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
	holds := c.holds(n)
	return func(e *Evaluator, f *frame, in any) any { return holds(e, f, in) }
}

// isTest reports whether the value of a node is a boolean or undefined, so that it is
// not made to be tested.
func isTest(n *Node) bool {
	if n.Kind == KindBlock && len(n.Args) == 1 {
		n = n.Args[0]
	}
	if !n.Bare(KindBinary) {
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
		return truth(c.inner(n))
	}
	if n.Kind == KindBlock {
		n = n.Args[0]
	}
	c.tail = false
	return c.holds(n)
}

// truth tests a value.
func truth(value code) test {
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

// holds compiles an operator whose value is a boolean, or undefined.
func (c *compiler) holds(n *Node) test {
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
	if r := n.Args[1]; r.Bare(KindString) {
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
			return e.identical(a, b)
		}
		for i := range list {
			e.step()
			if e.identical(a, list[i]) {
				return true
			}
		}
		return false
	}
}

// compare compiles an order. known is false where one side is undefined.
func (c *compiler) compare(n *Node) func(e *Evaluator, f *frame, in any) (holds, known bool) {
	left, right := c.inner(n.Args[0]), c.inner(n.Args[1])
	less, equal := n.Text[0] == '<', len(n.Text) > 1
	return func(e *Evaluator, f *frame, in any) (bool, bool) {
		e.step()
		a, b := left(e, f, in), right(e, f, in)
		x, xOK := e.number(a)
		y, yOK := e.number(b)
		if xOK && yOK {
			if x == y {
				x, y = float64(e.orderOfDigits(a, b)), 0
			}
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
			order := e.compareTexts(s, t)
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
		e.fail(n.Args[1], "T2009", "the operands of the %q operator must be both numbers or both strings, got %s and %s", n.Text, describe(a), describe(b))
	}
}

// A numeric evaluates an operand of arithmetic. ok is false for undefined.
type numeric func(e *Evaluator, f *frame, in any) (v float64, ok bool)

func isArithmetic(operator string) bool {
	return len(operator) == 1 && strings.ContainsAny(operator, "+-*/%")
}

// numeric compiles an operand of arithmetic; side is 0 for the left one, whose fault is
// one once other, the right one, has been evaluated.
func (c *compiler) numeric(n, operand *Node, side int, other *code) (value numeric, plain code) {
	inner := operand
	if inner.Bare(KindBlock) && len(inner.Args) == 1 {
		inner = inner.Args[0]
	}
	if inner.Bare(KindBinary) && isArithmetic(inner.Text) {
		value := c.arithmetic(inner)
		plain = func(e *Evaluator, f *frame, in any) any {
			value(e, f, in)
			return nil
		}
		return func(e *Evaluator, f *frame, in any) (float64, bool) {
			v, ok := value(e, f, in)
			if v-v != 0 && ok {
				e.outOfRange(n, side, v, *other, f, in)
			}
			return v, ok
		}, plain
	}
	plain = c.inner(operand)
	return func(e *Evaluator, f *frame, in any) (float64, bool) {
		switch v := plain(e, f, in).(type) {
		case json.Number:
			return e.parse(v), true
		case float64:
			if v-v != 0 {
				e.outOfRange(n, side, v, *other, f, in)
			}
			return v, true
		case nil:
			return 0, false
		default:
			(*other)(e, f, in)
			e.fail(n.Args[side], []string{"T2001", "T2002"}[side], "the %s operand of the %q operator must evaluate to a number, got %s", []string{"left", "right"}[side], n.Text, describe(v))
			return 0, false
		}
	}, plain
}

// outOfRange fails for an operand that is not finite.
func (e *Evaluator) outOfRange(n *Node, side int, v float64, other code, f *frame, in any) {
	other(e, f, in)
	if v != v { // NaN is not a number
		e.fail(n.Args[side], []string{"T2001", "T2002"}[side], "the %s operand of the %q operator is not a number", []string{"left", "right"}[side], n.Text)
	}
	e.fail(n.Args[side], "D1001", "the %s operand of the %q operator is out of range", []string{"left", "right"}[side], n.Text)
}

var operations = [...]func(e *Evaluator, x, y float64) float64{
	'+': func(_ *Evaluator, x, y float64) float64 { return x + y },
	'-': func(_ *Evaluator, x, y float64) float64 { return x - y },
	'*': func(_ *Evaluator, x, y float64) float64 { return x * y },
	'/': func(_ *Evaluator, x, y float64) float64 { return x / y },
	'%': (*Evaluator).modulo,
}

// modulo is x % y. Its work grows with the distance between their exponents.
func (e *Evaluator) modulo(x, y float64) float64 {
	if distance := math.Ilogb(x) - math.Ilogb(y); distance > 64 && x-x == 0 && y != 0 {
		e.steps(distance >> 5)
	}
	return math.Mod(x, y)
}

// nothing is in the place of an operand after the right one.
var nothing = constant(nil)

func (c *compiler) arithmetic(n *Node) numeric {
	var plain code
	left, _ := c.numeric(n, n.Args[0], 0, &plain)
	right, operand := c.numeric(n, n.Args[1], 1, &nothing)
	plain = operand
	operate := operations[n.Text[0]]
	return func(e *Evaluator, f *frame, in any) (float64, bool) {
		e.step()
		x, ok := left(e, f, in)
		y, ok2 := right(e, f, in)
		if !ok || !ok2 {
			return 0, false
		}
		v := operate(e, x, y)
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
		x, ok := e.finite(v)
		if !ok {
			e.fail(n.Args[0], "D1002", "the operand of the unary - operator must evaluate to a number, got %s", describe(v))
		}
		return e.box(-x)
	}
}

// fallback compiles "?:", whose left side counts if it is true, and "??", whose left side
// counts if it is defined.
func (c *compiler) fallback(n *Node, tail bool) code {
	value, other := c.inner(n.Args[0]), c.branch(n.Args[1], tail)
	elvis := n.Kind == KindElvis
	return func(e *Evaluator, f *frame, in any) any {
		e.step()
		if v := value(e, f, in); v != nil && (!elvis || e.truthAt(v, 0)) {
			return v
		}
		return other(e, f, in)
	}
}

// concat compiles a chain of "&", so that its text is made at once.
func (c *compiler) concat(n *Node) code {
	nodes := make([]*Node, 0, 8)
	at := n
	for at.Bare(KindBinary) && at.Text == "&" {
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
		first := parts[0](e, f, in)
		for i, part := range parts[1:] {
			e.step()
			v := part(e, f, in)
			if i == 0 { // the first is a text once the second is evaluated
				e.step()
				s := e.text(first, n)
				size += len(s)
				e.stack = append(e.stack, s)
			}
			s := e.text(v, n)
			size += len(s)
			e.stack = append(e.stack, s)
		}
		e.room("the text", size)
		var b strings.Builder
		b.Grow(size)
		for _, s := range e.stack[base:] {
			b.WriteString(s.(string))
		}
		e.drop(base)
		return b.String()
	}
}

// room counts the memory of a text of n bytes, before it is made.
func (e *Evaluator) room(what string, n int) {
	if n < 0 || n > e.limits.MaxResult {
		e.stop(tooBig(what, e.limits.MaxResult))
	}
	e.alloc(n)
	e.steps(n >> 6)
}
