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
	switch n.Kind {
	case KindCall:
		if len(n.Stages) == 0 { // as in jsonata-js, which looks at nothing else behind it
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
