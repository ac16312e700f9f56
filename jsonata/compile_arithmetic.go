package jsonata

import (
	"encoding/json"
	"math"
	"strings"
)

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
