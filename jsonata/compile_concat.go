package jsonata

import "strings"

// concat compiles a chain of "&", so that its text is made at once.
func (c *compiler) concat(n *Node) code {
	nodes := make([]*Node, 0, 8)
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
			if meet(s, t) {
				return e.united(s + t)
			}
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
		meets := false
		for _, s := range e.stack[base:] {
			meets = meets || mayMeet(s.(string))
			b.WriteString(s.(string))
		}
		clear(e.stack[base:])
		e.stack = e.stack[:base]
		if meets {
			return e.united(b.String())
		}
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
