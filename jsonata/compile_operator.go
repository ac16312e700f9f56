package jsonata

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
