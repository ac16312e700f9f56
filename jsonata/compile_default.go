package jsonata

import "strings"

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
	switch n.Kind {
	case KindCall:
		if len(n.Stages) == 0 { // as in jsonata-js, which looks at nothing else after it
			return c.bare(n, true)
		}
	case KindBlock, KindCondition, KindElvis, KindCoalesce:
		if len(n.Stages) > 0 || n.Group != nil || n.KeepArray {
			break
		}
		held := c.held
		c.held = true // the rule for a sequence of one does not go for what a call there returns
		defer func() { c.held = held }()
		return c.done(n.Kind, false, false, c.bare(n, true))
	}
	return c.qualified(n)
}
