package jsonata

import "github.com/patchbay-mcp/patchbay/internal/regex"

// elvis compiles "?:", whose left side counts if it is true.
func (c *compiler) elvis(n *Node, tail bool) code {
	if test := c.tested(n.Args[0]); test != nil {
		return c.again(n, test, truthOf(test), tail)
	}
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
	if test := c.tested(n.Args[0]); test != nil {
		return c.again(n, test, exists(test), tail)
	}
	value, other := c.inner(n.Args[0]), c.branch(n.Args[1], tail)
	return func(e *Evaluator, f *frame, in any) any {
		e.step()
		if v := value(e, f, in); v != nil {
			return v
		}
		return other(e, f, in)
	}
}

// tested compiles the left side of "?:" and "??" as what decides between the sides, where
// that is not its value, or where turns count. jsonata-js decides by a copy of its syntax
// tree, made by way of JSON. In it, each regular expression matches the letters of "[object
// Object]", and a function that has a signature cannot be called.
func (c *compiler) tested(left *Node) code {
	copies := c.copies(left)
	if !c.paced && !copies {
		return nil
	}
	copied := c.copy
	c.copy = copied || copies
	defer func() { c.copy = copied }()
	return c.inner(left)
}

// copies reports whether a copy of a left side may evaluate to something else.
func (c *compiler) copies(left *Node) bool { return !c.copy && uncopied(left) }

// maxTwice bounds how many left sides are compiled twice only because they end a function,
// as each may be within others.
const maxTwice = 32

// again compiles an operator that evaluates its left side once to test it, and again for its
// value.
func (c *compiler) again(n *Node, left code, test test, tail bool) code {
	value, other := left, c.branch(n.Args[1], tail)
	if copies := c.copies(n.Args[0]); copies || tail && c.twice < maxTwice {
		if !copies {
			c.twice++
		}
		value = c.branch(n.Args[0], tail)
	}
	return func(e *Evaluator, f *frame, in any) any {
		e.step()
		if test(e, f, in) {
			return value(e, f, in)
		}
		return other(e, f, in)
	}
}

// exists tests whether there is a value with the turns of a call of $exists.
func exists(value code) test {
	value = owing(2, value)
	return func(e *Evaluator, f *frame, in any) bool {
		e.wait(1)
		v := value(e, f, in)
		e.wait(2)
		return v != nil
	}
}

// uncopied reports whether a syntax tree has what its copy does not.
func uncopied(n *Node) bool {
	if n.Kind == KindRegex || n.Kind == KindLambda && n.Text != "" {
		return true
	}
	for sub := range n.Children() {
		if uncopied(sub) {
			return true
		}
	}
	return false
}

// copiedRegex is every regular expression in a copy.
var copiedRegex = func() *regex.Regexp {
	re, err := regex.Compile("[object Object]", "")
	if err != nil {
		panic(err)
	}
	return re
}()
