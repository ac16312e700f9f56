package jsonata

import "slices"

// A body is the compiled body of a function that an expression defines.
type body struct {
	node   *Node
	params []int // slots
	slots  int
	run    code
	height int
	reuse  bool // nothing refers to the frame after a call
}

// lambda compiles the definition of a function.
func (c *compiler) lambda(n *Node) code {
	params, inner := n.Args[:len(n.Args)-1], n.Args[len(n.Args)-1]
	outer, tail, held := c.scope, c.tail, c.held
	c.scope, c.held = &scope{outer: outer}, false
	b := &body{node: n, height: int(inner.height) + 2, reuse: !captures(inner), params: make([]int, 0, len(params))}
	for _, p := range params {
		c.scope.declare(p.Text)
	}
	c.scope.bound = len(c.scope.names)
	for _, p := range params {
		b.params = append(b.params, slices.Index(c.scope.names, p.Text))
	}
	c.declare(c.scope, n.Args[len(params):])
	b.slots = len(c.scope.names)
	b.run = c.branch(inner, true)
	c.scope, c.tail, c.held = outer, tail, held
	var sig *signature
	if n.Text != "" {
		sig = parseSignature(n.Text)
	}
	arity := len(params)
	return func(e *Evaluator, f *frame, in any) any {
		e.alloc(96)
		return &Function{name: "function", arity: arity, sig: sig, body: b, frame: f, in: in}
	}
}

// partial compiles a partial application.
func (c *compiler) partial(n *Node) code {
	args := make([]code, len(n.Args)-1)
	for i, arg := range n.Args[1:] {
		if arg.Kind != KindHole {
			args[i] = c.inner(arg)
		}
	}
	proc := c.inner(n.Args[0])
	env := c.env
	return func(e *Evaluator, f *frame, in any) any {
		e.step()
		given := make([]any, len(args))
		for i, arg := range args {
			if arg != nil {
				given[i] = arg(e, f, in)
			}
		}
		v := proc(e, f, in)
		fn, ok := v.(*Function)
		if !ok {
			if PlainField(n.Args[0]) && v == nil && env.function(n.Args[0].Args[0].Text) != nil {
				e.fail(n.Args[0], "T1007", "%s is not a function; did you mean $%s?", n.Args[0].Args[0].Text, n.Args[0].Args[0].Text)
			}
			e.fail(n.Args[0], "T1008", "what is applied is not a function: %s", describe(v))
		}
		switch {
		case fn.passed:
			e.fail(n, "S0202", "a function that is the argument of a call cannot be applied partially; write function($x) { … } instead")
		case fn.row != nil && fn.row.Name == "string":
			e.fail(n, "S0208", "$string cannot be applied partially; write function($x) { $string($x) } instead")
		}
		taken, holes := args[:min(len(args), fn.parameters())], 0
		for _, arg := range taken {
			if arg == nil {
				holes++
			}
		}
		e.alloc(128)
		return &Function{name: fn.name, arity: holes, scoped: true, partial: true, native: func(e *Evaluator, rest []any) any {
			base := len(e.stack)
			for i, arg := range taken {
				switch {
				case arg != nil:
					e.stack = append(e.stack, given[i])
				case len(rest) > 0:
					e.stack = append(e.stack, rest[0])
					rest = rest[1:]
				default:
					e.stack = append(e.stack, nil)
				}
			}
			if fn.body != nil { // as in jsonata-js, whatever its signature says
				return e.apply(fn, n, base, e.call.in, e.call.frame, e.call.scope)
			}
			fn.sig.fill(e, base)
			fn.sig.positions(e, fn.name, e.stack[base:])
			return e.invokeStack(fn, n, nil, base)
		}}
	}
}

// apply compiles "~>": a call with one more argument, a call, or a function made of two.
// As in jsonata-js, what qualifies the call on the right is not looked at.
func (c *compiler) apply(n *Node) code {
	left, right := n.Args[0], n.Args[1]
	lead := c.inner(left)
	if right.Kind == KindCall {
		return c.call(right, lead, false)
	}
	proc, scope := c.inner(right), c.evalScope()
	return func(e *Evaluator, f *frame, in any) any {
		e.step()
		v := lead(e, f, in)
		w := proc(e, f, in)
		fn, ok := w.(*Function)
		if !ok {
			e.fail(right, "T2006", `the right side of "~>" must be a function, got %s`, describe(w))
		}
		if first, ok := v.(*Function); ok {
			return &Function{name: "function", arity: 1, scoped: true, native: func(e *Evaluator, args []any) any {
				e.step()
				var arg any
				if len(args) > 0 {
					arg = collapse(args[0], false)
				}
				e.levels += 10
				if e.levels > maxLevels {
					e.tooManyCalls(n)
				}
				base := len(e.stack)
				e.stack = append(e.stack, arg)
				v := collapse(e.invokeStack(first, n, null{}, base), false)
				e.stack = append(e.stack, v)
				v = e.invokeStack(fn, n, e.call.in, base)
				e.levels -= 10
				return v
			}}
		}
		base := len(e.stack)
		e.stack = append(e.stack, v)
		return e.invokeIn(fn, n, null{}, base, f, scope)
	}
}
