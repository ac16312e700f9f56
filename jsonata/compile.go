package jsonata

import (
	"math"
	"slices"
)

// A code evaluates a node in a frame, on the current item of a path or the input.
type code func(e *Evaluator, f *frame, in any) any

// A compiler turns a syntax tree into codes.
type compiler struct {
	src   string
	env   *Env
	top   scope // the outermost one, except in text of $eval
	scope *scope
	binds bool   // the expression has a ":="
	evals bool   // the expression names $eval, or is text that it evaluates
	text  *scope // of the call of $eval whose text this is, or nil
	tail  bool   // the node is the last thing that a function evaluates
	held  bool   // a call that a function ends with waits until what is around it is done
}

// compile compiles a node with what qualifies it: predicates, a grouping, and the rule
// for a sequence of one.
func (c *compiler) compile(n *Node) code {
	if n.Kind == KindPath {
		return c.path(n)
	}
	tail := c.tail
	c.tail = false
	if tail {
		return c.ending(n)
	}
	return c.qualified(n)
}

// qualified compiles a node that is not a path with what qualifies it.
func (c *compiler) qualified(n *Node) code {
	run := c.bare(n, false)
	if len(n.Stages) > 0 {
		run = c.predicates(n, run)
	}
	if n.Group != nil {
		run = c.grouped(n.Group, run)
	}
	return c.done(n.Kind, len(n.Stages) > 0, n.KeepArray, run)
}

// done compiles the rule for a sequence of one, where a value may be a sequence.
func (c *compiler) done(kind Kind, filtered, keep bool, run code) code {
	if !filtered && !keep {
		switch kind {
		case KindWildcard, KindDescendant, KindCall, KindApply, KindBlock, KindCondition, KindElvis, KindCoalesce, KindBind:
		default:
			return run
		}
	}
	return func(e *Evaluator, f *frame, in any) any {
		v := run(e, f, in)
		if _, ok := v.([]any); ok {
			return collapse(v, keep)
		}
		return v
	}
}

// inner compiles a node that is not the last thing that a function evaluates.
func (c *compiler) inner(n *Node) code { return c.branch(n, false) }

// itemsOfStream is the value of a node that is not a step of a path: of a stream of tuples,
// its items.
func itemsOfStream(n *Node, run code) code {
	if !n.tuple || n.Kind != KindBlock && n.Kind != KindPath {
		return run
	}
	return func(e *Evaluator, f *frame, in any) any {
		v := run(e, f, in)
		if stream, ok := v.(*tuples); ok { // that is no step of a path
			return stream.items(e)
		}
		return v
	}
}

// bare compiles a node without what qualifies it. tail says that a call which is its
// value may be made by the caller of the function.
func (c *compiler) bare(n *Node, tail bool) code {
	switch n.Kind {
	case KindName:
		return c.name(n.Text)
	case KindString:
		return constant(n.Text)
	case KindNumber:
		return constant(literal(n))
	case KindBool:
		return constant(n.Text == "true")
	case KindNull:
		return constant(null{})
	case KindVariable:
		return c.variable(n)
	case KindWildcard:
		return wildcard
	case KindDescendant:
		return descendants
	case KindParent:
		return c.parent(n)
	case KindRegex:
		return c.regex(n)
	case KindArray:
		return c.array(n, false)
	case KindObject:
		return c.object(n)
	case KindBlock:
		return c.block(n, tail)
	case KindBind:
		return c.bind(n)
	case KindCondition:
		return c.condition(n, tail)
	case KindElvis, KindCoalesce:
		return c.fallback(n, tail)
	case KindBinary:
		return c.binary(n)
	case KindNegate:
		return c.negate(n)
	case KindCall:
		return c.call(n, nil, tail)
	case KindPartial:
		return c.partial(n)
	case KindLambda:
		return c.lambda(n)
	case KindTransform:
		return c.transform(n)
	case KindApply:
		return c.apply(n)
	case KindSort, KindTerm, KindGroup, KindIndex, KindRange, KindHole, KindPath, KindBad:
	}
	panic(&Error{Code: codeSyntax, Message: "a " + n.Kind.String() + " cannot be evaluated here", Start: n.Start, End: n.End})
}

func constant(v any) code {
	if f, ok := v.(float64); ok && f == math.Trunc(f) && f > 0 && f < float64(len(smallNumbers)) {
		v = smallNumbers[int(f)]
	}
	return func(*Evaluator, *frame, any) any { return v }
}

// ends compiles what ends a block, and a function if the block does.
func (c *compiler) ends(n *Node, tail bool) code {
	c.tail = tail
	return c.compile(n)
}

// branch compiles the branch of a node, which ends a function if the node does.
func (c *compiler) branch(n *Node, tail bool) code { return itemsOfStream(n, c.ends(n, tail)) }

func (c *compiler) block(n *Node, tail bool) code {
	switch len(n.Args) {
	case 0:
		return constant(nil)
	case 1:
		if !c.binds && !c.evals {
			return c.ends(n.Args[0], tail)
		}
	}
	outer := c.scope
	inner := &scope{outer: outer}
	c.declare(inner, n.Args)
	slots := len(inner.names)
	framed := slots > 0 || c.evals
	if framed {
		c.scope = inner
	} else if len(n.Args) == 1 {
		return c.ends(n.Args[0], tail)
	}
	parts := make([]code, len(n.Args))
	for i, arg := range n.Args {
		parts[i] = c.ends(arg, tail && i == len(n.Args)-1)
	}
	c.scope = outer
	last := parts[len(parts)-1]
	parts = parts[:len(parts)-1]
	reuse := framed && !captures(n)
	return func(e *Evaluator, f *frame, in any) any {
		if framed {
			f = e.frame(f, slots)
		}
		for _, run := range parts {
			run(e, f, in)
		}
		v := last(e, f, in)
		if reuse {
			e.release(f)
		}
		return v
	}
}

// captures reports whether a function that n makes may outlive the frame it is made in.
func captures(n *Node) bool {
	switch n.Kind {
	case KindLambda, KindPartial, KindTransform:
		return true
	case KindVariable:
		if n.Text == "eval" {
			return true
		}
	}
	return slices.ContainsFunc(n.Args, captures) || slices.ContainsFunc(n.Stages, captures) || n.Group != nil && captures(n.Group)
}

// frame returns a frame for so many variables.
func (e *Evaluator) frame(outer *frame, slots int) *frame {
	if last := len(e.frames) - 1; last >= 0 && slots <= len(frame{}.small) {
		f := e.frames[last]
		e.frames[last] = nil // an evaluation that is refused leaves nothing behind
		e.frames = e.frames[:last]
		f.outer = outer
		f.reset(slots)
		return f
	}
	e.alloc(112)
	return newFrame(outer, slots)
}

// maxFrames is how many frames are kept for later.
const maxFrames = 64

// release gives back a frame that nothing refers to.
func (e *Evaluator) release(f *frame) {
	if len(e.frames) < maxFrames && len(f.vars) <= len(f.small) {
		*f = frame{}
		e.frames = append(e.frames, f)
	}
}

func (c *compiler) condition(n *Node, tail bool) code {
	test := c.test(n.Args[0])
	then := c.branch(n.Args[1], tail)
	if len(n.Args) < 3 {
		return func(e *Evaluator, f *frame, in any) any {
			if test(e, f, in) {
				return then(e, f, in)
			}
			return nil
		}
	}
	other := c.branch(n.Args[2], tail)
	return func(e *Evaluator, f *frame, in any) any {
		e.step()
		if test(e, f, in) {
			return then(e, f, in)
		}
		return other(e, f, in)
	}
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
