package jsonata

// A tailCall is a call that a function ends with, which its caller makes.
type tailCall struct {
	fn   *Function
	base int // of its arguments on the stack
	site *Node
	late *lateCall // whose function and arguments are still to be evaluated, or nil
}

// A lateCall is a call that a function ends with where turns count: jsonata-js evaluates
// its arguments when the function has returned.
type lateCall struct {
	run   code // makes it the tail call
	frame *frame
	in    any
}

// late compiles a call that a function ends with where turns count.
func late(run code) code {
	return func(e *Evaluator, f *frame, in any) any {
		e.tail = tailCall{late: &lateCall{run, f, in}}
		return tailMark
	}
}

// ready evaluates the function and the arguments of the call that a function ends with.
func (e *Evaluator) ready() {
	if call := e.tail.late; call != nil {
		e.tail = tailCall{}
		call.run(e, call.frame, call.in)
	}
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
	return c.compiled(n)
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
		if call.late != nil {
			return &Function{name: "function", waiting: &call, scoped: true, partial: true, native: func(e *Evaluator, _ []any) any {
				e.tail = call
				e.ready()
				made := e.tail
				e.tail = tailCall{}
				return e.invokeIn(made.fn, made.site, e.call.in, made.base, e.call.frame, e.call.scope)
			}}
		}
		args := append([]any(nil), e.stack[call.base:]...)
		e.drop(call.base)
		return &Function{name: "function", waiting: &call, scoped: true, partial: true, native: func(e *Evaluator, _ []any) any {
			base := len(e.stack)
			e.stack = append(e.stack, args...)
			return e.invokeIn(call.fn, call.site, e.call.in, base, e.call.frame, e.call.scope)
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
			if e.tail = (tailCall{fn: fn, base: len(e.stack), site: fn.waiting.site}); fn.waiting.late != nil {
				e.tail = *fn.waiting
			}
			return tailMark
		}
		return v
	}
}
