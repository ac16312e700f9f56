package jsonata

// elvis compiles "?:", whose left side counts if it is true.
func (c *compiler) elvis(n *Node, tail bool) code {
	value, other := c.inner(n.Args[0]), c.branch(n.Args[1], tail)
	return func(e *Evaluator, f *frame, in any) any {
		e.step()
		v := value(e, f, in)
		if holds, _ := e.truth(v); holds {
			return v
		}
		return other(e, f, in)
	}
}

// coalesce compiles "??", whose left side counts if it is defined.
func (c *compiler) coalesce(n *Node, tail bool) code {
	value, other := c.inner(n.Args[0]), c.branch(n.Args[1], tail)
	return func(e *Evaluator, f *frame, in any) any {
		e.step()
		if v := value(e, f, in); v != nil {
			return v
		}
		return other(e, f, in)
	}
}
