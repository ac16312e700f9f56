package jsonata

// A tailCall is a call that a function ends with, which its caller makes.
type tailCall struct {
	fn   *Function
	base int // of its arguments on the stack
	site *Node
}

type tailMarker struct{}

// tailMark is the value of a function that ends with a call, which e.tail says.
var tailMark any = tailMarker{}

// ending compiles what a function ends with.
func (c *compiler) ending(n *Node) code {
	qualified := len(n.Stages) > 0 || n.Group != nil || n.KeepArray
	switch n.Kind {
	case KindCall:
		if len(n.Stages) == 0 { // as in jsonata-js, which looks at nothing else behind it
			return c.bare(n, true)
		}
	case KindBlock, KindCondition, KindElvis, KindCoalesce:
		held := c.held
		c.held = true // the rule for a sequence of one does not go for what a call there returns
		defer func() { c.held = held }()
		if qualified {
			return c.heldBack(n)
		}
		return c.done(n.Kind, false, false, c.bare(n, true))
	}
	return c.compile(n)
}

// heldBack compiles what a function ends with where that is qualified. As in jsonata-js,
// predicates and a grouping see the call that the function ends with before it is made:
// as a function.
func (c *compiler) heldBack(n *Node) code {
	inner := c.bare(n, true)
	run := func(e *Evaluator, f *frame, in any) any {
		v := inner(e, f, in)
		if v != tailMark {
			return v
		}
		call := e.tail
		e.tail = tailCall{}
		args := append([]any(nil), e.stack[call.base:]...)
		e.drop(call.base)
		return &Function{name: "function", waiting: &call, scoped: true, native: func(e *Evaluator, _ []any) any {
			base := len(e.stack)
			e.stack = append(e.stack, args...)
			return e.invokeStack(call.fn, call.site, e.call.in, base)
		}}
	}
	if len(n.Stages) > 0 {
		run = c.predicates(n, run)
	}
	if n.Group != nil {
		run = c.grouped(n.Group, run)
	}
	run = c.done(n.Kind, len(n.Stages) > 0, n.KeepArray, run)
	return func(e *Evaluator, f *frame, in any) any {
		v := run(e, f, in)
		if fn, ok := v.(*Function); ok && fn.waiting != nil {
			e.tail = tailCall{fn, len(e.stack), fn.waiting.site}
			return tailMark
		}
		return v
	}
}
